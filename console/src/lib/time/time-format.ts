/** Times as text, in a given IANA zone. All functions take milliseconds. */

import { calendarAt, type CalendarTime } from "./calendar.ts";

const two = (value: number) => String(value).padStart(2, "0");
const three = (value: number) => String(value).padStart(3, "0");
const short = (name: string) => name.slice(0, 3);

const clockOf = ({ hour, minute }: CalendarTime) => `${two(hour)}:${two(minute)}`;
const secondsOf = (at: CalendarTime) => `${clockOf(at)}:${two(at.second)}`;
const dateOf = ({ day, month }: CalendarTime) => `${two(day)} ${short(month)}`;

/** `30 Sep 2026, 14:20:31.482 CEST · 12:20:31 UTC`; the second part only if the zones differ. */
export function exactTime(time: number, zone: string): string {
  const at = calendarAt(time, zone);
  const local = `${dateOf(at)} ${at.year}, ${secondsOf(at)}.${three(at.millisecond)} ${at.zone}`;
  const isUtc = at.zone === "UTC" || at.zone === "GMT";
  return isUtc ? local : `${local} · ${clockSeconds(time, "UTC")} UTC`;
}

/** `30 Sep, 14:20:31`. */
export function shortTime(time: number, zone: string): string {
  const at = calendarAt(time, zone);
  return `${dateOf(at)}, ${secondsOf(at)}`;
}

/** `14:20`. */
export const clockTime = (time: number, zone: string) => clockOf(calendarAt(time, zone));

/** `14:20:31`. */
export const clockSeconds = (time: number, zone: string) => secondsOf(calendarAt(time, zone));

/** `30 Sep 2026`. */
export function dayTime(time: number, zone: string): string {
  const at = calendarAt(time, zone);
  return `${dateOf(at)} ${at.year}`;
}

/** `30 Sep`. */
export function dayLabel(time: number, zone: string): string {
  const { day, month } = calendarAt(time, zone);
  return `${day} ${short(month)}`;
}

/** `Tue 29 Sep, 14:00–15:00`. */
export function hourLabel(start: number, zone: string): string {
  const at = calendarAt(start, zone);
  return `${short(at.weekday)} ${at.day} ${short(at.month)}, ${clockOf(at)}–${clockTime(start + 3_600_000, zone)}`;
}

/** `Tuesday 29 September, 14:00 to 15:00 UTC`: an hour for screen readers. */
export function spokenHour(start: number, zone: string): string {
  const at = calendarAt(start, zone);
  return `${at.weekday} ${at.day} ${at.month}, ${clockOf(at)} to ${clockTime(start + 3_600_000, zone)} ${at.zone}`;
}

/** `UTC` or `CEST`: the zone's name at that time. */
export const zoneName = (time: number, zone: string) => calendarAt(time, zone).zone;

/**
 * `−2.4 s`, `+0.1 s`, `−3 min` or `0.0 s`: the offset of `time` from `reference`. The unit changes where rounding
 * reaches 60.
 */
export function offsetTime(time: number, reference: number): string {
  const distance = Math.abs(time - reference);
  const sign = distance < 50 ? "" : time > reference ? "+" : "−";
  if (distance < 59_950) return `${sign}${(distance / 1000).toFixed(1)} s`;
  if (distance < 3_570_000) return `${sign}${Math.round(distance / 60_000)} min`;
  return `${sign}${(distance / 3_600_000).toFixed(1)} h`;
}
