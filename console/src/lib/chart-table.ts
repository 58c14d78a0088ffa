const hourMs = 3_600_000;

/** An hour with events. */
export interface HourRow {
  readonly start: number;
  readonly count: number;
}

/** The hours that have events, newest first. */
export function hoursWithEvents(start: number, counts: readonly number[]): HourRow[] {
  return counts
    .map((count, index) => ({ start: start + index * hourMs, count }))
    .filter(({ count }) => count > 0)
    .toReversed();
}

/** All hours as CSV with a head line, oldest first. */
export function hoursAsCsv(start: number, counts: readonly number[]): string {
  const lines = counts.map((count, index) => `${new Date(start + index * hourMs).toISOString()},${count}`);
  return ["hour,events", ...lines].join("\n");
}
