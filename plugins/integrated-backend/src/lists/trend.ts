import { hourMs } from "@faultline/plugin";
import { sql } from "kysely";
import type { SqlDialect } from "../storage.ts";

const trendHours = 24;

/** Events in each of the last 24 hours, oldest first. */
export interface Trend {
  /** The first hour, counted from 1970. */
  readonly first: number;
  readonly counts: number[];
}

/** The first hour of a trend that ends with the current hour. */
export const firstTrendHour = (now: number) => Math.floor(now / hourMs) - trendHours + 1;

/** The hours of an error with their counts, as JSON: one more column instead of a statement of its own. */
export function hoursSince(dialect: SqlDialect, first: number) {
  return sql<string>`(select ${dialect.hourList} from integrated_hour
    where error_id = integrated_error.id${dialect.sameProject("integrated_hour", "integrated_error")} and hour >= ${first})`;
}

/** A trend from the value of that column. */
export function trendOf(hours: string, first: number): Trend {
  const counts = Array.from({ length: trendHours }, () => 0);
  for (const [hour, count] of JSON.parse(hours) as [number, number][]) {
    if (hour - first < trendHours) counts[hour - first] = count;
  }
  return { first, counts };
}
