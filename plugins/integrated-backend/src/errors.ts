import type { MessageInitShape } from "@bufbuild/protobuf";
import { hourMs, pageSizeOf, pageToken, readPageToken, ServiceError, startOfHour } from "@faultline/plugin";
import {
  ErrorReason,
  ErrorSort,
  ErrorStatus,
  type ListErrorsRequest,
  type ListErrorsResponseSchema,
} from "@faultline/proto";
import { sql, type Kysely, type SelectQueryBuilder } from "kysely";
import { condition, searchTokens, type SearchToken } from "./search.ts";
import type { Tables } from "./tables.ts";
import { errorToProto, type ErrorRow } from "./to-proto.ts";

const statuses = [ErrorStatus.UNRESOLVED, ErrorStatus.RESOLVED, ErrorStatus.IGNORED] as const;

const sortColumns: Readonly<Record<ErrorSort, "last_seen_at" | "first_seen_at" | "event_count">> = {
  [ErrorSort.UNSPECIFIED]: "last_seen_at",
  [ErrorSort.LAST_SEEN]: "last_seen_at",
  [ErrorSort.FIRST_SEEN]: "first_seen_at",
  [ErrorSort.EVENT_COUNT]: "event_count",
};

/** Counts of a search stop here, so that a tab costs the same in a project of any size. */
const countedErrors = 1000;

/** Hours of the trend beside each row. */
const trendHours = 24;

type Query = SelectQueryBuilder<Tables, "integrated_error", ErrorRow>;

/** A page of errors in keyset order; pages go both ways. */
export async function listErrors(
  database: Kysely<Tables>,
  request: ListErrorsRequest,
  now: number,
): Promise<MessageInitShape<typeof ListErrorsResponseSchema>> {
  const column = sortColumns[request.sort] ?? "last_seen_at";
  const tokens = searchTokens(request.query);
  const list = JSON.stringify(["errors", request.projectId, column, request.status, request.query]);
  const place = readPageToken(list, request.pageToken, ["string", "number", "number"]);
  const backwards = place?.[0] === "before";
  const size = pageSizeOf(request);

  const wanted = statuses.filter((status) => request.status === ErrorStatus.UNSPECIFIED || request.status === status);
  // Each status is a walk along its own index; several are merged by sorting their first rows.
  const found = await Promise.all(
    wanted.map((status) => {
      let query: Query = filtered(database, request.projectId, status, tokens, now);
      if (place) {
        const [, sortValue, id] = place;
        const beyond = backwards ? ">" : "<";
        query = query.where(({ eb, or, and }) =>
          or([eb(column, beyond, sortValue), and([eb(column, "=", sortValue), eb("id", beyond, id)])]),
        );
      }
      const direction = backwards ? "asc" : "desc";
      return query
        .orderBy(column, direction)
        .orderBy("id", direction)
        .limit(size + 1)
        .execute();
    }),
  );
  const sign = backwards ? -1 : 1;
  const rows = found.flat().toSorted((a, b) => sign * (b[column] - a[column] || b.id - a.id));
  const hasMore = rows.length > size;
  const page = backwards ? rows.slice(0, size).toReversed() : rows.slice(0, size);

  const token = (direction: "before" | "after", row: ErrorRow | undefined) =>
    row ? pageToken(list, [direction, row[column], row.id]) : "";
  const trends = await hourlyCounts(
    database,
    page.map(({ id }) => id),
    now,
  );
  return {
    errors: page.map((row) => errorToProto(row, trends.get(row.id))),
    nextPageToken: hasMore || backwards ? token("after", page.at(-1)) : "",
    previousPageToken: (backwards ? hasMore : place !== undefined) ? token("before", page[0]) : "",
    statusCounts: await countByStatus(database, request.projectId, tokens, now),
  };
}

function filtered(
  database: Kysely<Tables>,
  projectId: number,
  status: ErrorStatus,
  tokens: readonly SearchToken[],
  now: number,
): Query {
  let query = withSettledLastSeen(database, now).where("project_id", "=", projectId).where("status", "=", status);
  for (const token of tokens) query = query.where((builder) => condition(builder, token));
  return query;
}

/** Errors with the value their last-seen label follows: it holds still until the hour is over (specification 1.7). */
export function withSettledLastSeen(database: Kysely<Tables>, now: number): Query {
  const hour = startOfHour(now);
  return database
    .selectFrom("integrated_error")
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
            .whereRef("integrated_event.error_id", "=", "integrated_error.id")
            .where("integrated_event.occurred_at", "<", hour),
        )
        .end()
        .$castTo<number | null>()
        .as("settled_last_seen_at"),
    );
}

async function hourlyCounts(database: Kysely<Tables>, errorIds: number[], now: number): Promise<Map<number, number[]>> {
  const first = Math.floor(now / hourMs) - trendHours + 1;
  const rows = await database
    .selectFrom("integrated_hour")
    .selectAll()
    .where("error_id", "in", errorIds.length > 0 ? errorIds : [0])
    .where("hour", ">=", first)
    .execute();
  const trends = new Map(errorIds.map((id) => [id, Array.from({ length: trendHours }, () => 0)]));
  for (const { error_id, hour, event_count } of rows) {
    const counts = trends.get(error_id);
    if (counts && hour - first < trendHours) counts[hour - first] = event_count;
  }
  return trends;
}

async function countByStatus(database: Kysely<Tables>, projectId: number, tokens: readonly SearchToken[], now: number) {
  const count = async (status: ErrorStatus) => {
    const some = filtered(database, projectId, status, tokens, now).clearSelect().select("id").limit(countedErrors);
    const { n } = await database
      .selectFrom(some.as("some"))
      .select(sql<number>`count(*)`.as("n"))
      .executeTakeFirstOrThrow();
    return n;
  };
  const [unresolved = 0, resolved = 0, ignored = 0] = await Promise.all(statuses.map(count));
  return { unresolved, resolved, ignored };
}

/** One error; refuses with ERROR_NOT_FOUND, also when it belongs to another project. */
export async function getError(
  database: Kysely<Tables>,
  { projectId, errorId }: { projectId: number; errorId: string },
  now: number,
): Promise<ErrorRow> {
  const row = await withSettledLastSeen(database, now)
    .where("id", "=", errorRowId(errorId))
    .where("project_id", "=", projectId)
    .executeTakeFirst();
  if (!row) throw errorNotFound();
  return row;
}

/** The project of an error, by the error's id alone. */
export async function errorProject(database: Kysely<Tables>, errorId: string): Promise<number | undefined> {
  const row = await database
    .selectFrom("integrated_error")
    .select("project_id")
    .where("id", "=", errorRowId(errorId))
    .executeTakeFirst();
  return row?.project_id;
}

/** The row id an error id names; ids that cannot exist name row 0, which does not. */
export function errorRowId(errorId: string): number {
  return /^[1-9]\d{0,14}$/.test(errorId) ? Number(errorId) : 0;
}

export function errorNotFound(): ServiceError {
  return new ServiceError(
    ErrorReason.ERROR_NOT_FOUND,
    "There is no such error in this project. Errors are deleted 90 days after their last event.",
  );
}
