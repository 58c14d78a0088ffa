/** Times as text, in a given IANA zone. All take milliseconds. */

const cache = new Map<string, Intl.DateTimeFormat>();

function format(key: string, time: number, options: Intl.DateTimeFormatOptions): string {
  // British English writes one month with four letters; the columns are made for three.
  return formatter(key, options)
    .format(time)
    .replace(/\bSept\b/, "Sep");
}

function formatter(key: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  // Making one takes about 50 µs, which a table of 168 hours would feel.
  const id = `${key} ${options.timeZone ?? ""}`;
  let known = cache.get(id);
  if (known === undefined) {
    known = new Intl.DateTimeFormat("en-GB", options);
    cache.set(id, known);
  }
  return known;
}

const date = { day: "2-digit", month: "short", year: "numeric" } as const;
const clock = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;
const seconds = { ...clock, second: "2-digit", fractionalSecondDigits: 3 } as const;

/** `30 Sep 2026, 14:20:31.482 CEST · 12:20:31 UTC`; the second part only where the zones differ. */
export function exactTime(time: number, zone: string): string {
  const local = format("exact", time, { ...date, ...seconds, timeZone: zone, timeZoneName: "short" });
  const isUtc = zone === "UTC" || / (UTC|GMT)$/.test(local);
  return isUtc ? local : `${local} · ${format("utc", time, { ...clock, second: "2-digit", timeZone: "UTC" })} UTC`;
}

/** `30 Sep, 14:20:31`. */
export const shortTime = (time: number, zone: string) =>
  format("short", time, { day: "2-digit", month: "short", ...clock, second: "2-digit", timeZone: zone });

/** `14:20`. */
export const clockTime = (time: number, zone: string) => format("clock", time, { ...clock, timeZone: zone });

/** `14:20:31`. */
export const clockSeconds = (time: number, zone: string) =>
  format("clockSeconds", time, { ...clock, second: "2-digit", timeZone: zone });

/** `30 Sep 2026`. */
export const dayTime = (time: number, zone: string) => format("day", time, { ...date, timeZone: zone });

/** `30 Sep`. */
export const dayLabel = (time: number, zone: string) =>
  format("dayLabel", time, { day: "numeric", month: "short", timeZone: zone });

/** `Tue 29 Sep, 14:00–15:00`. */
export function hourLabel(start: number, zone: string): string {
  const day = format("hourDay", start, { weekday: "short", day: "numeric", month: "short", timeZone: zone });
  return `${day.replace(",", "")}, ${clockTime(start, zone)}–${clockTime(start + 3_600_000, zone)}`;
}

/** `Tuesday 29 September, 14:00 to 15:00 UTC`: an hour as a screen reader says it. */
export function spokenHour(start: number, zone: string): string {
  const options = { weekday: "long", day: "numeric", month: "long", timeZone: zone } as const;
  const day = format("spoken", start, options).replace(",", "");
  return `${day}, ${clockTime(start, zone)} to ${clockTime(start + 3_600_000, zone)} ${zoneName(start, zone)}`;
}

/** `UTC` or `CEST`: the zone's name at that time. */
export function zoneName(time: number, zone: string): string {
  const parts = formatter("zone", { timeZone: zone, timeZoneName: "short" }).formatToParts(time);
  return parts.find(({ type }) => type === "timeZoneName")?.value ?? zone;
}

/** `−2.4 s`, `+0.1 s`, `−3 min` or `0.0 s`: how far `time` lies from `reference`. The limits are those of rounding. */
export function offsetTime(time: number, reference: number): string {
  const distance = Math.abs(time - reference);
  const sign = distance < 50 ? "" : time > reference ? "+" : "−";
  if (distance < 59_950) return `${sign}${(distance / 1000).toFixed(1)} s`;
  if (distance < 3_570_000) return `${sign}${Math.round(distance / 60_000)} min`;
  return `${sign}${(distance / 3_600_000).toFixed(1)} h`;
}
