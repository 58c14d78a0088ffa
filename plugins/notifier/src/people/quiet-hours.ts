/** Hours of the day by the clocks of a time zone, as minutes since midnight. They pass midnight where `from` is later. */
export interface QuietHours {
  readonly timeZone: string;
  readonly from: number;
  /** Not part of them. */
  readonly until: number;
}

const minutesOfDay = 1_440;

/**
 * When a person may be notified of what happens `now`: now, or when the quiet hours end. In the nights that clocks change,
 * it is quiet exactly while the clocks show quiet hours: an end within the skipped hour is where the clocks skip it.
 */
export function afterQuietHours(quiet: QuietHours | undefined, now: number): number {
  if (quiet === undefined) return now;
  let at = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(quiet.timeZone);
  if (!isQuiet(quiet, minuteOf(at))) return now;
  at = at.round({ smallestUnit: "minute", roundingMode: "floor" });
  while (isQuiet(quiet, minuteOf(at))) {
    // Until the clocks change, they go evenly.
    const end = at.add({ minutes: (quiet.until - minuteOf(at) + minutesOfDay) % minutesOfDay });
    const change = at.getTimeZoneTransition("next");
    at = change !== null && Temporal.ZonedDateTime.compare(change, end) < 0 ? change : end;
  }
  return at.epochMilliseconds;
}

/** Whether there is such a time zone. */
export function isTimeZone(name: string): boolean {
  try {
    Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name);
    return true;
  } catch {
    return false;
  }
}

const minuteOf = ({ hour, minute }: Temporal.ZonedDateTime): number => 60 * hour + minute;

function isQuiet({ from, until }: QuietHours, minute: number): boolean {
  return from < until ? from <= minute && minute < until : from <= minute || minute < until;
}
