import { hourMs, invalidField, millisecondsOf } from "@faultline/plugin";
import type { Error as TrackedError } from "@faultline/proto";
import type { ApiCall } from "./call.ts";

/** A count of events and the start of its span, in seconds since 1970. */
export type Point = readonly [seconds: number, count: number];

/** Converts counts of equal spans to points. */
export function points(counts: readonly number[], { startMs, spanMs }: { startMs: number; spanMs: number }): Point[] {
  return counts.map((count, index) => [(startMs + index * spanMs) / 1000, count]);
}

/** Counts of an issue for the last `hours` hours, ending with the current hour. */
export async function hourlyStats(
  call: ApiCall,
  error: { readonly projectId: number; readonly errorId: string },
  hours: number,
): Promise<Point[]> {
  const { projectId, errorId } = error;
  const stats = await call.core.errors.getErrorStats({ projectId, errorId, hourCount: hours }, call);
  const startMs = stats.startTime ? millisecondsOf(stats.startTime) : 0;
  return points(stats.counts, { startMs, spanMs: hourMs });
}

/** Hourly points in sums of 24, starting with the first; an incomplete rest is left out. */
export function daily(hourly: readonly Point[]): Point[] {
  return Array.from({ length: Math.floor(hourly.length / 24) }, (_, day) => {
    const hours = hourly.slice(day * 24, day * 24 + 24);
    return [hours[0]?.[0] ?? 0, hours.reduce((sum, [, count]) => sum + count, 0)];
  });
}

/** The stats for each issue of a list: `24h` by hour, `14d` by day, or none. */
export type StatsPeriod = "" | "24h" | "14d";

export function statsPeriodOf({ query }: ApiCall, name: "statsPeriod" | "groupStatsPeriod"): StatsPeriod {
  const period = query.get(name) ?? "24h";
  if (period === "auto") return "24h";
  if (period === "" || period === "24h" || period === "14d") return period;
  throw invalidField(name, "Invalid stats_period. Valid choices are '', '24h', and '14d'");
}

/** The stats of an issue in a list. The list already contains the last day. */
export async function listStats(call: ApiCall, error: TrackedError, period: StatsPeriod): Promise<object> {
  if (period === "") return {};
  if (period === "14d") return { stats: { "14d": daily(await hourlyStats(call, error, 14 * 24)) } };
  const startMs = error.hourlyCountsStartTime ? millisecondsOf(error.hourlyCountsStartTime) : 0;
  return { stats: { "24h": points(error.hourlyCounts, { startMs, spanMs: hourMs }) } };
}
