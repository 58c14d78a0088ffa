import { hourMs } from "@faultline/plugin";

/** All errors are kept this long (specification section 8). */
export const retentionDays = 90;

/** Updates are accepted until 5 days after a session's start, which is at most a minute after its first update. */
export const sessionDays = 6;

/**
 * A message that a worker counted and could not acknowledge is delivered again within a minute after any worker runs. A
 * queue without workers, or workers without their queue, should not go unnoticed for a week.
 */
export const receiptDays = 7;

export const dayMs = 24 * hourMs;

/** The start of the first day that is kept: an event is readable for at least 90 days and at most 91. */
export function retentionCutoff(now: number): number {
  return Math.floor(now / dayMs) * dayMs - retentionDays * dayMs;
}
