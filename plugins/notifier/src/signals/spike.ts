import type { EpisodeRow } from "../tables.ts";

/** A rule's limit for a spike. */
export interface SpikeLimit {
  readonly unit: "events" | "users";
  readonly count: number;
  readonly minutes: number;
}

/**
 * Windows of up to this many minutes are counted from samples of each minute; longer windows from the hours that errors
 * carry.
 */
export const sampledMinutes = 120;

/** A spike that has not ended. */
export type Episode = Pick<EpisodeRow, "opened_at" | "most" | "below_since" | "is_announced">;

export interface SpikeStep {
  /** Undefined if there is none. */
  readonly episode: Episode | undefined;
  /** The report to make. */
  readonly report?: "opened" | "over";
}

/**
 * One look at an error: a spike begins at its limit, and ends after a whole window below half of the limit. A spike
 * that began in a maintenance window is reported after the window if it lasts. If it does not last, its end is not
 * reported.
 */
export function stepSpike(
  before: Episode | undefined,
  { counted, limit, now, isMaintenance }: { counted: number; limit: SpikeLimit; now: number; isMaintenance: boolean },
): SpikeStep {
  const isReached = counted >= limit.count;
  if (!before) {
    if (!isReached) return { episode: undefined };
    const episode = { opened_at: now, most: counted, below_since: null, is_announced: isMaintenance ? 0 : 1 };
    return { episode, report: "opened" };
  }
  const most = Math.max(before.most, counted);
  if (isReached && before.is_announced === 0 && !isMaintenance) {
    return { episode: { ...before, most, below_since: null, is_announced: 1 }, report: "opened" };
  }
  if (2 * counted >= limit.count) return { episode: { ...before, most, below_since: null } };
  const since = Math.min(before.below_since ?? now, now); // a clock that was set back restarts
  if (now - since < limit.minutes * 60_000) return { episode: { ...before, most, below_since: since } };
  return { episode: undefined, ...(before.is_announced === 1 && { report: "over" as const }) };
}

/** How many events an error had at a time. */
export interface Sample {
  readonly at: number;
  readonly count: number;
}

/** The events since a time, from ordered samples. The first sample is the lowest known count. */
export function countedSince(samples: readonly Sample[], { count, since }: { count: number; since: number }): number {
  const base = samples.findLast(({ at }) => at <= since) ?? samples[0];
  return base === undefined ? 0 : Math.max(0, count - base.count);
}

/** The events of the last whole hours, including the current hour. */
export const countedInHours = (hourly: readonly number[], hours: number): number =>
  hourly.slice(-hours).reduce((sum, count) => sum + count, 0);
