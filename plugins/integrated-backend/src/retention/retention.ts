import { hourMs } from "@faultline/plugin";

/** All errors are kept this long (specification section 8). */
export const retentionDays = 90;

/** Updates are taken until 5 days after a session's start, which is a minute after its first update at most. */
export const sessionDays = 6;

/**
 * What a worker counted and could not acknowledge is delivered again within a minute of any worker's being there. A week
 * is longer than a queue without workers, or workers without their queue, should stay unnoticed.
 */
export const receiptDays = 7;

export const dayMs = 24 * hourMs;

/** The start of the first day that is kept: an event is readable for 90 days at least and 91 at most. */
export function retentionCutoff(now: number): number {
  return Math.floor(now / dayMs) * dayMs - retentionDays * dayMs;
}
