import { hourMs } from "@faultline/plugin";
import type { JsonValue } from "@faultline/sentry-event";
import { countOf } from "./fields.ts";

/**
 * Events in each hour of a window, dense, oldest first, from pairs `[seconds since 1970, count]`: 24 or 25 of them for
 * a day. Pairs outside the window and invalid ones are left out.
 */
export function readHourlyStats(json: JsonValue, window: { firstHour: number; hours: number }): number[] {
  const counts = Array.from({ length: window.hours }, () => 0);
  if (!Array.isArray(json)) return counts;
  for (const pair of json.slice(0, maxPairs)) {
    if (!Array.isArray(pair) || typeof pair[0] !== "number") continue;
    const index = Math.floor((pair[0] * 1000) / hourMs) - window.firstHour;
    const before = counts[index];
    if (before !== undefined) counts[index] = Math.min(before + countOf(pair[1]), 0xffff_ffff);
  }
  return counts;
}

/** The longest window is 90 days in hours; twice as many pairs for finer answers. */
const maxPairs = 4320;
