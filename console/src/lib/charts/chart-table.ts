const hourMs = 3_600_000;

/** An hour with events. */
export interface HourRow {
  readonly start: number;
  readonly count: number;
}

/** A part of the counts that a chart shows separately, such as crashed sessions. */
export interface ChartPart {
  /** The word that follows a number: `crashed`. */
  readonly name: string;
  readonly counts: readonly number[];
}

/** The hours with events, newest first. */
export function hoursWithEvents(start: number, counts: readonly number[]): HourRow[] {
  return counts
    .map((count, index) => ({ start: start + index * hourMs, count }))
    .filter(({ count }) => count > 0)
    .toReversed();
}

/** All hours as CSV with a head line, oldest first. */
export function hoursAsCsv(
  start: number,
  counts: readonly number[],
  { name, parts }: { name: string; parts: readonly ChartPart[] } = { name: "events", parts: [] },
): string {
  const lines = counts.map((count, index) =>
    [new Date(start + index * hourMs).toISOString(), count, ...parts.map((part) => part.counts[index] ?? 0)].join(","),
  );
  return [["hour", name, ...parts.map((part) => part.name)].join(","), ...lines].join("\n");
}
