/**
 * The last-seen rule (specification 1.7): the label is relative to the start of the running hour, so neither its value
 * nor its words change until that hour is complete.
 */

import { relativeTime } from "./relative-time.ts";

const hourMs = 3_600_000;

/** The start of the hour that `now` lies in. Hours are UTC. */
export const startOfHour = (now: number) => Math.floor(now / hourMs) * hourMs;

/** `settled`: the newest event before the running hour, null when there is none. Both in milliseconds. */
export function lastSeenLabel(settled: number | null, now: number): string {
  const hour = startOfHour(now);
  if (settled === null || settled >= hour) return "less than an hour ago";
  return relativeTime(settled, hour);
}

/**
 * The settled time to label at `now`: a page that was read in an earlier hour knows the exact time already, and it is
 * settled as soon as its hour is over.
 */
export function settledLastSeen(exact: number, settled: number | null, now: number): number | null {
  return exact < startOfHour(now) ? exact : settled;
}
