/** The days of a week, starting with Monday. */
export const weekdays = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"] as const;

const months = "January February March April May June July August September October November December".split(" ");

/** Calendar and clock of a zone at a time. */
export interface CalendarTime {
  readonly year: number;
  /** English. */
  readonly month: string;
  /** The day of the month, from 1. */
  readonly day: number;
  /** English. */
  readonly weekday: string;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly millisecond: number;
  /** The zone's short name at that time: `UTC`, `CEST`, `GMT+5:30`. */
  readonly zone: string;
}

/** `time` in milliseconds, in an IANA zone. */
export function calendarAt(time: number, zone: string): CalendarTime {
  const date = new Date(time);
  if (zone === "UTC") return calendarOf(date, "UTC");
  const parts = new Map(
    formatter(zone)
      .formatToParts(date)
      .map(({ type, value }) => [type, value]),
  );
  const of = (type: Intl.DateTimeFormatPartTypes) => Number(parts.get(type));
  const shown = Date.UTC(of("year"), of("month") - 1, of("day"), of("hour"), of("minute"), of("second"));
  return calendarOf(new Date(shown + date.getUTCMilliseconds()), parts.get("timeZoneName") ?? zone);
}

const calendarOf = (shown: Date, zone: string): CalendarTime => ({
  year: shown.getUTCFullYear(),
  month: months[shown.getUTCMonth()] ?? "",
  day: shown.getUTCDate(),
  weekday: weekdays[(shown.getUTCDay() + 6) % 7] ?? "",
  hour: shown.getUTCHours(),
  minute: shown.getUTCMinutes(),
  second: shown.getUTCSeconds(),
  millisecond: shown.getUTCMilliseconds(),
  zone,
});

const formatters = new Map<string, Intl.DateTimeFormat>();
const numbers = { year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric" } as const;

/** Cached by zone, because each formatter costs a page 3 ms on a processor slowed down four times. */
function formatter(zone: string): Intl.DateTimeFormat {
  let known = formatters.get(zone);
  if (known === undefined) {
    const options = { ...numbers, second: "numeric", hourCycle: "h23", timeZone: zone, timeZoneName: "short" } as const;
    known = new Intl.DateTimeFormat("en-GB", options);
    formatters.set(zone, known);
  }
  return known;
}
