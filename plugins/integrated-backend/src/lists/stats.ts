import type { MessageInitShape } from "@bufbuild/protobuf";
import { hourMs, hourWindow, timestamp, errorRowId, type InstallationStats, dayMs } from "@faultline/plugin";
import { type GetErrorStatsRequest, type GetErrorStatsResponseSchema, ErrorStatusSchema } from "@faultline/proto";
import { sql } from "kysely";
import { hidden } from "../tables.ts";
import { errorNotFound } from "./errors.ts";
import type { Storage } from "../storage.ts";

/** The bar graph: an hourly count for every hour (specification 1.6). */
export async function getErrorStats(
  { read, dialect }: Storage,
  request: GetErrorStatsRequest,
  now: number,
): Promise<MessageInitShape<typeof GetErrorStatsResponseSchema>> {
  const { first, length, lastHourRunning } = hourWindow(request, { now, defaultHours: 24 });
  // One row for all hours, because 2,160 rows of 90 days took 2 ms, mostly on the event loop.
  const error = await read
    .selectFrom("integrated_error")
    .select(
      sql<string>`(select ${dialect.hourList} from integrated_hour
        where error_id = integrated_error.id${dialect.sameProject("integrated_hour", "integrated_error")}
          and hour >= ${first} and hour < ${first + length})`.as("hours"),
    )
    .where("id", "=", errorRowId(request.errorId))
    .where("project_id", "=", request.projectId)
    .where("status", "<>", hidden)
    .executeTakeFirst();
  if (!error) throw errorNotFound();
  const counts = Array.from({ length }, () => 0);
  for (const [hour, count] of JSON.parse(error.hours) as [number, number][]) counts[hour - first] = count;
  return { startTime: timestamp(first * hourMs), counts, lastHourRunning };
}

const hours = 24;

/**
 * Events of all projects by hour, and the oldest day. A scan of the events of a day, or of all hours of 90 days, may
 * read millions of rows. Instead the index on (project, status, last seen) finds the errors that were seen in these
 * hours, and the primary key finds their counts: 24 small reads for each currently active error, and one for each
 * project with errors.
 */
export async function installationStats({ read, dialect }: Storage, now: number): Promise<InstallationStats> {
  const running = Math.floor(now / hourMs);
  const first = running - hours + 1;
  const statuses = dialect.valuesOf(
    ErrorStatusSchema.values.map(({ number }) => number),
    "status",
  );
  const join = dialect.joinInOrder;
  const { rows } = await sql<{ hour: number; n: number }>`
    with recursive tracked (project_id) as (
      select min(project_id) from integrated_error
      union all
      select (select min(project_id) from integrated_error where project_id > tracked.project_id)
      from tracked where tracked.project_id is not null
    )
    select counted.hour, sum(counted.event_count) as n
    from tracked
    cross join ${statuses}
    ${join} integrated_error as seen
      on seen.project_id = tracked.project_id and seen.status = status.value and seen.last_seen_at >= ${first * hourMs}
    ${join} integrated_hour as counted
      on counted.error_id = seen.id${dialect.sameProject("counted", "seen")} and counted.hour between ${first} and ${running}
    group by counted.hour`.execute(read);
  const counts = new Map(rows.map(({ hour, n }) => [hour, n]));
  const oldest = await read
    .selectFrom("integrated_event")
    .select("received_at")
    .$if(dialect.sortsByRowId, (query) => query.orderBy("id")) // row ids grow with the time of receipt
    .limit(1)
    .executeTakeFirst();
  return {
    eventsPerHour: Array.from({ length: hours }, (_, n) => counts.get(first + n) ?? 0),
    oldestDay: oldest && oldest.received_at - (oldest.received_at % dayMs),
  };
}
