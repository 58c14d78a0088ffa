import type { MessageInitShape } from "@bufbuild/protobuf";
import { hourMs, hourWindow, timestamp } from "@faultline/plugin";
import type { GetErrorStatsRequest, GetErrorStatsResponseSchema } from "@faultline/proto";
import type { Kysely } from "kysely";
import { existingError } from "./events.ts";
import type { Tables } from "./tables.ts";

/** The bar graph: a dense count an hour (specification 1.6). */
export async function getErrorStats(
  database: Kysely<Tables>,
  request: GetErrorStatsRequest,
  now: number,
): Promise<MessageInitShape<typeof GetErrorStatsResponseSchema>> {
  const { first, length, lastHourRunning } = hourWindow(request, { now, defaultHours: 24 });
  const errorId = await existingError(database, request);
  const rows = await database
    .selectFrom("integrated_hour")
    .select(["hour", "event_count"])
    .where("error_id", "=", errorId)
    .where("hour", ">=", first)
    .where("hour", "<", first + length)
    .execute();
  const counts = Array.from({ length }, () => 0);
  for (const { hour, event_count } of rows) counts[hour - first] = event_count;
  return { startTime: timestamp(first * hourMs), counts, lastHourRunning };
}
