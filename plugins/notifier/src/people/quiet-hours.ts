/** Hours of the day in a time zone, as minutes since midnight. They cross midnight if `from` is later than `until`. */
export interface QuietHours {
  readonly timeZone: string;
  readonly from: number;
  /** Exclusive. */
  readonly until: number;
}

const minutesOfDay = 1_440;

/**
 * When a person may be notified of a change at `now`: immediately, or when the quiet hours end. In nights with a clock
 * change, it is quiet exactly while the clocks show quiet hours: an end within the skipped hour is the moment when the
 * clocks skip it.
 */
export function afterQuietHours(quiet: QuietHours | undefined, now: number): number {
  if (quiet === undefined) return now;
  let at = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(quiet.timeZone);
  if (!isQuiet(quiet, minuteOf(at))) return now;
  at = at.round({ smallestUnit: "minute", roundingMode: "floor" });
  while (isQuiet(quiet, minuteOf(at))) {
    // Minutes are regular until the next clock change.
    const end = at.add({ minutes: (quiet.until - minuteOf(at) + minutesOfDay) % minutesOfDay });
    const change = at.getTimeZoneTransition("next");
    at = change !== null && Temporal.ZonedDateTime.compare(change, end) < 0 ? change : end;
  }
  return at.epochMilliseconds;
}

/** Whether a time zone with this name exists. */
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
