import { errorRowId, ServiceError, startOfHour, type ChangedErrorsRequest } from "@faultline/plugin";
import { ErrorReason, type ErrorSchema, type GetErrorsRequest, type GetErrorsResponseSchema } from "@faultline/proto";
import { sql, type Kysely, type SqlBool } from "kysely";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { hidden, type Tables } from "../tables.ts";
import type { Storage, SqlDialect } from "../storage.ts";
import { type ErrorRow, errorToProto, firstTrendHour, hoursSince, trendOf } from "./to-proto.ts";
import { matching } from "../search/plan.ts";

/**
 * Errors with the value of their last-seen label, which does not change within an hour (specification 1.7), and with
 * the counts beyond their caps and the counts of events that spike protection did not store.
 */
export function withSettledLastSeen(dialect: SqlDialect, database: Kysely<Tables>, now: number) {
  const hour = startOfHour(now);
  return database
    .selectFrom("integrated_error")
    .where("status", "<>", hidden)
    .selectAll()
    .select((builder) =>
      builder
        .case()
        .when("last_seen_at", "<", hour)
        .then(builder.ref("last_seen_at"))
        .else(
          builder
            .selectFrom("integrated_event")
            .select(({ fn }) => fn.max("occurred_at").as("newest"))
            .where(
              sql<SqlBool>`integrated_event.error_id = integrated_error.id${dialect.sameProject("integrated_event", "integrated_error")}`,
            )
            .where("integrated_event.occurred_at", "<", hour),
        )
        .end()
        .$castTo<number | null>()
        .as("settled_last_seen_at"),
    )
    .select([beyondCap(dialect, "other_tag_count"), beyondCap(dialect, "other_user_count")])
    .select(sampledOutCount(dialect))
    .select(regroupedColumns(dialect));
}

function beyondCap(dialect: SqlDialect, column: "other_tag_count" | "other_user_count") {
  return sql<number | null>`(select ${sql.ref(column)} from integrated_cardinality as cap
    where cap.error_id = integrated_error.id${dialect.sameProject("cap", "integrated_error")})`.as(column);
}

function sampledOutCount({ bigInteger }: SqlDialect) {
  return sql<number | null>`(select cast(sum(event_count) as ${bigInteger}) from integrated_sampled_out as sampled_out
    where sampled_out.project_id = integrated_error.project_id and sampled_out.error_id = integrated_error.id)`.as(
    "sampled_out_count",
  );
}

/** Maximum joined errors that are named. */
const joinedShown = 100;

/** The errors that an error split off from, took events from, or gave its events to. Deleted errors are not named. */
function regroupedColumns(dialect: SqlDialect) {
  const same = (one: string) => dialect.sameProject(one, "integrated_error");
  const isShown = (id: string) => sql`exists (select 1 from integrated_error other
    where other.id = ${sql.ref(id)}${dialect.sameProject("other", "integrated_error")} and other.status <> ${sql.lit(hidden)})`;
  const splits = sql`integrated_split split where split.error_id = integrated_error.id${same("split")}`;
  const joined = sql`select joined_error_id from integrated_claim claim where claim.error_id = integrated_error.id${same("claim")}
    and claim.joined_error_id is not null and ${isShown("claim.joined_error_id")} order by joined_error_id limit ${sql.lit(joinedShown)}`;
  return [
    sql<number | null>`(select from_error_id from ${splits} and ${isShown("split.from_error_id")})`.as("split_from_id"),
    sql<number | null>`(select split_at from ${splits})`.as("split_at"),
    sql<string | null>`(select cast(${dialect.jsonOfRows(sql`joined_error_id`)} as text) from (${joined}) joined)`.as(
      "joined_ids",
    ),
    sql<number | null>`(select claim.error_id from integrated_claim claim
      where claim.joined_error_id = integrated_error.id${same("claim")} and ${isShown("claim.error_id")})`.as(
      "joined_to_id",
    ),
  ];
}

/** Reads one error. Refuses with ERROR_NOT_FOUND, also if it belongs to another project. */
export async function getError(
  { read, dialect }: Storage,
  { projectId, errorId }: { projectId: number; errorId: string },
  now: number,
): Promise<ErrorRow> {
  const row = await withSettledLastSeen(dialect, read, now)
    .where("id", "=", errorRowId(errorId))
    .where("project_id", "=", projectId)
    .executeTakeFirst();
  if (!row) throw errorNotFound();
  return row;
}

/** The project of an error, by the error's id only. */
export async function errorProject({ read }: Storage, errorId: string): Promise<number | undefined> {
  const row = await read
    .selectFrom("integrated_error")
    .select("project_id")
    .where("id", "=", errorRowId(errorId))
    .where("status", "<>", hidden)
    .executeTakeFirst();
  return row?.project_id;
}

export function errorNotFound(): ServiceError {
  return new ServiceError(
    ErrorReason.ERROR_NOT_FOUND,
    "This error does not exist in this project. Errors are deleted 90 days after their last event.",
  );
}

/** Errors are published by the hash of their group, because a batch stores them without reading their ids. */
export async function changedErrors(
  { read, dialect }: Storage,
  { projectId, keys, hourlyCounts }: ChangedErrorsRequest,
  now: number,
): Promise<MessageInitShape<typeof ErrorSchema>[]> {
  const groups = [...keys.keys()].map((hash) => Buffer.from(hash, "hex"));
  const changedBy = ({ group_hash, reopened_at }: ErrorRow) => ({
    statusChangedBy: reopened_at === null ? (keys.get(group_hash.toString("hex")) ?? "") : "", // else an event did it
  });
  const found = withSettledLastSeen(dialect, read, now)
    .where("project_id", "=", projectId)
    .where("group_hash", "in", groups);
  if (!hourlyCounts) return (await found.execute()).map((row) => ({ ...errorToProto(row), ...changedBy(row) }));
  const first = firstTrendHour(now);
  const rows = await found.select(hoursSince(dialect, first).as("hours")).execute();
  return rows.map((row) => ({ ...errorToProto(row, trendOf(row.hours, first)), ...changedBy(row) }));
}

/** Reads the named errors that match, in the order of their ids. */
export async function getErrors(
  storage: Storage,
  { projectId, errorIds, query }: GetErrorsRequest,
  now: number,
): Promise<MessageInitShape<typeof GetErrorsResponseSchema>> {
  const ids = errorIds.map(errorRowId);
  let errors = withSettledLastSeen(storage.dialect, storage.read, now)
    .where("project_id", "=", projectId)
    .where("id", "in", ids);
  if (query !== "") {
    const found = await matching(storage, { projectId, query, now });
    errors = errors.where("id", "in", found.where("id", "in", ids).select("id"));
  }
  const rows = await errors.orderBy("id").execute();
  return { errors: rows.map((row) => errorToProto(row)) };
}
