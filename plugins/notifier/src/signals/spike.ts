import type { EpisodeRow } from "../tables.ts";

/** What a rule calls a spike. */
export interface SpikeLimit {
  readonly unit: "events" | "users";
  readonly count: number;
  readonly minutes: number;
}

/** Up to so many minutes samples of each minute are counted; beyond, the hours that errors carry. */
export const sampledMinutes = 120;

/** A spike that is not over. */
export type Episode = Pick<EpisodeRow, "opened_at" | "most" | "below_since" | "is_announced">;

export interface SpikeStep {
  /** Undefined if there is none. */
  readonly episode: Episode | undefined;
  /** What is to be reported. */
  readonly report?: "opened" | "over";
}

/**
 * One look at an error: a spike begins at its limit, and is over when it was below half of it for a whole window. One that began
 * in a maintenance window is reported when that is over, if it lasts, and otherwise its end is not reported.
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
  const since = Math.min(before.below_since ?? now, now); // a clock that went back begins again
  if (now - since < limit.minutes * 60_000) return { episode: { ...before, most, below_since: since } };
  return { episode: undefined, ...(before.is_announced === 1 && { report: "over" as const }) };
}

/** How many events an error had at a time. */
export interface Sample {
  readonly at: number;
  readonly count: number;
}

/** The events since a time, by samples in their order, of which the first is the least that is known. */
export function countedSince(samples: readonly Sample[], { count, since }: { count: number; since: number }): number {
  const base = samples.findLast(({ at }) => at <= since) ?? samples[0];
  return base === undefined ? 0 : Math.max(0, count - base.count);
}

/** The events of the last whole hours, the running one included. */
export const countedInHours = (hourly: readonly number[], hours: number): number =>
  hourly.slice(-hours).reduce((sum, count) => sum + count, 0);
