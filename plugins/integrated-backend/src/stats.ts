import type { MessageInitShape } from "@bufbuild/protobuf";
import { hourMs, invalidField, millisecondsOf, timestamp } from "@faultline/plugin";
import type { GetErrorStatsRequest, GetErrorStatsResponseSchema } from "@faultline/proto";
import type { Kysely } from "kysely";
import { existingError } from "./events.ts";
import type { Tables } from "./tables.ts";

const maxHours = 2160;

/** The bar graph: a dense count an hour (specification 1.6). */
export async function getErrorStats(
  database: Kysely<Tables>,
  request: GetErrorStatsRequest,
  now: number,
): Promise<MessageInitShape<typeof GetErrorStatsResponseSchema>> {
  const length = request.hourCount || 24;
  if (length > maxHours) throw invalidField("hour_count", "Ask for 1 to 2,160 hours, which are 90 days.");
  const errorId = await existingError(database, request);
  const running = Math.floor(now / hourMs);
  const first = request.startTime ? Math.floor(millisecondsOf(request.startTime) / hourMs) : running - length + 1;
  const rows = await database
    .selectFrom("integrated_hour")
    .select(["hour", "event_count"])
    .where("error_id", "=", errorId)
    .where("hour", ">=", first)
    .where("hour", "<", first + length)
    .execute();
  const counts = Array.from({ length }, () => 0);
  for (const { hour, event_count } of rows) counts[hour - first] = event_count;
  return { startTime: timestamp(first * hourMs), counts, lastHourRunning: first + length - 1 >= running };
}
