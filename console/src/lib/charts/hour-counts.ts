import { startOfHour } from "../time/last-seen.ts";

const hourMs = 3_600_000;

/** Counts by hour, oldest first. */
export interface HourCounts {
  /** Start of the first hour, in milliseconds. */
  readonly start: number;
  readonly counts: readonly number[];
}

/**
 * The same window at `now`: it ends with the running hour. Hours after the reading are empty, because their counts are
 * unknown. A window that ends later stays unchanged, because the service's clock may be ahead of ours.
 */
export function movedOn({ start, counts }: HourCounts, now: number): HourCounts {
  const { length } = counts;
  const hours = Math.round((startOfHour(now) - start) / hourMs) - length + 1;
  if (length === 0 || !(hours > 0)) return { start, counts };
  const empty = Array.from({ length: Math.min(hours, length) }, () => 0);
  return { start: start + hours * hourMs, counts: [...counts.slice(hours), ...empty] };
}
