import type { MessageInitShape } from "@bufbuild/protobuf";
import { hourMs, hourWindow, timestamp } from "@faultline/plugin";
import type { GetSessionStatsRequest, GetSessionStatsResponseSchema } from "@faultline/proto";
import { sql, type AbortableQueryOptions, type SqlBool } from "kysely";
import type { Storage } from "../storage.ts";
import { sessionCountsToProto } from "../lists/to-proto.ts";

/** Dense counts of the sessions that started in each hour. */
export async function getSessionStats(
  { readExpensively: read, dialect }: Storage,
  request: GetSessionStatsRequest,
  now: number,
  limits: AbortableQueryOptions,
): Promise<MessageInitShape<typeof GetSessionStatsResponseSchema>> {
  const { first, length, lastHourRunning } = hourWindow(request, { now, defaultHours: 24 });
  const { version, environment } = request;
  let query = read
    .selectFrom("integrated_release as r")
    .innerJoin("integrated_session_hour as h", (join) =>
      join.on(sql<SqlBool>`h.release_id = r.id${dialect.sameProject("h", "r")}`),
    )
    .select(({ fn }) => [
      "h.hour",
      fn.sum<number>("h.total").as("total"),
      fn.sum<number>("h.errored").as("errored"),
      fn.sum<number>("h.crashed").as("crashed"),
      fn.sum<number>("h.abnormal").as("abnormal"),
    ])
    .where("r.project_id", "=", request.projectId)
    .where("h.hour", ">=", first)
    .where("h.hour", "<", first + length)
    .groupBy("h.hour");
  // For all releases, those that ended before are skipped, as each would cost a lookup in the hours.
  query = version === "" ? query.where("r.last_hour", ">=", first) : query.where("r.version", "=", version);
  if (environment !== undefined) {
    query = query.where("r.environment", "=", environment).where("r.version", "<>", ""); // the release without a name is in none
  }
  const counted = new Map((await query.execute(limits)).map((row) => [row.hour, row]));
  const none = { total: 0, errored: 0, crashed: 0, abnormal: 0 };
  return {
    startTime: timestamp(first * hourMs),
    hours: Array.from({ length }, (_, n) => sessionCountsToProto(counted.get(first + n) ?? none)),
    lastHourRunning,
  };
}
