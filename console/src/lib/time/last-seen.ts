import { relativeTime } from "./relative-time.ts";

/**
 * The last-seen rule (specification 1.7): the label is relative to the start of the running hour, so its value and its
 * words only change when that hour is complete.
 */

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** The start of the hour of `now`. Hours are UTC. */
export const startOfHour = (now: number) => Math.floor(now / hourMs) * hourMs;

/** `settled` is the newest event before the running hour, null if there is none. Both are in milliseconds. */
export function lastSeenLabel(settled: number | null, now: number): string {
  const hour = startOfHour(now);
  if (settled === null || settled >= hour) return "less than an hour ago";
  return relativeTime(settled, hour);
}

/**
 * The hour that the label counts back from, if the label must show it: `3 minutes ago` can be up to an hour longer,
 * which nobody expects, while an hour makes no difference to a day. Null if the label needs no such hint. It does not
 * change within the hour.
 */
export function labelledAsOf(settled: number | null, now: number): number | null {
  const hour = startOfHour(now);
  return settled === null || settled >= hour || hour - settled >= dayMs ? null : hour;
}

/** Whether the running hour has events, which the label does not count yet. */
export const isActiveThisHour = (exact: number, now: number) => exact >= startOfHour(now);

/**
 * The settled time for a label at `now`: a page that was read in an earlier hour already knows the exact time, which is
 * settled as soon as its hour has ended.
 */
export function settledLastSeen(exact: number, settled: number | null, now: number): number | null {
  return exact < startOfHour(now) ? exact : settled;
}

/** The oldest of several times in ISO 8601; undefined if there are none. */
export const oldestTime = (...times: readonly (string | undefined)[]): string | undefined =>
  times.filter((time) => time !== undefined).toSorted((a, b) => Date.parse(a) - Date.parse(b))[0];
