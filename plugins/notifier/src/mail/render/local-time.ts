const parts = { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit" } as const;

/** A time for a person: `25 Nov 2026, 11:00 CET (10:00 UTC)`. A zone that is not known counts as UTC. */
export function localTime(at: number, zone: string): string {
  const utc = wordsOf(at, "UTC");
  if (zone === "UTC" || !isZone(zone)) return `${utc.day}, ${utc.time} UTC`;
  const local = wordsOf(at, zone);
  const inUtc = local.day === utc.day ? utc.time : `${utc.day}, ${utc.time}`;
  return `${local.day}, ${local.time} ${local.zone} (${inUtc} UTC)`;
}

function wordsOf(at: number, timeZone: string) {
  const format = new Intl.DateTimeFormat("en-GB", { ...parts, hourCycle: "h23", timeZone, timeZoneName: "short" });
  const found = new Map(format.formatToParts(at).map(({ type, value }) => [type, value]));
  const of = (type: Intl.DateTimeFormatPartTypes) => found.get(type) ?? "";
  return {
    day: `${of("day")} ${of("month")} ${of("year")}`,
    time: `${of("hour")}:${of("minute")}`,
    zone: of("timeZoneName"),
  };
}

function isZone(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat("en-GB", { timeZone: zone }).format(0) !== "";
  } catch {
    return false; // RangeError: there is no such zone
  }
}
