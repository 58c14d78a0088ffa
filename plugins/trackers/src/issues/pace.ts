import { backoff } from "@faultline/plugin/flow";
import type { TrackerRow } from "../tables.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/**
 * How long an attempt to create an issue may take, and how long nobody looks for an issue whose creation had no answer: what the
 * tracker was still doing is done by then, and its index has it.
 */
export const creationMs = minuteMs;

/** The wait before a creation is taken up again after so many attempts. */
export const creationWait = (tries: number): number => backoff(tries, { firstMs: creationMs, longestMs: hourMs });

/** Attempts to create an issue before it is given up. */
export const mostCreations = 10;

/** The wait after a change: GitHub takes less than 80 contents a minute, and a change is two. */
export const changePaceMs = 2_000;

/** The wait before a change is sent again after so many attempts. */
export const changeWait = (tries: number): number => backoff(tries, { firstMs: minuteMs, longestMs: hourMs });

/** A change that could not be sent for so long is given up. */
export const changeExpiresMs = 4 * dayMs;

/** The wait of a tracker after calls in a row that failed. */
export const trackerWait = (failedCalls: number): number =>
  backoff(failedCalls, { firstMs: 30_000, longestMs: hourMs });

/**
 * The time between two readings of an issue's state: five minutes where no webhook hurries it, otherwise an hour, as a webhook
 * may be lost.
 */
export const readingWait = (isOpen: boolean, { hook_at: hookAt }: Pick<TrackerRow, "hook_at">, now: number): number =>
  isOpen && !(hookAt !== null && hookAt > now - dayMs) ? 5 * minuteMs : hourMs;
