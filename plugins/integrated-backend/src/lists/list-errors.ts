import type { MessageInitShape } from "@bufbuild/protobuf";
import { pageSizeOf, pageToken, readPageToken } from "@faultline/plugin";
import { ErrorSort, ErrorStatus, type ListErrorsRequest, type ListErrorsResponseSchema } from "@faultline/proto";
import { sql, type AbortableQueryOptions, type RawBuilder } from "kysely";
import { withSettledLastSeen } from "./errors.ts";
import { condition, decisive, isTag, searchTokens } from "../search/tokens.ts";
import type { SearchToken } from "../search/search-token.ts";
import type { Draws } from "../search/draw.ts";
import { driverOf } from "../search/driver.ts";
import type { Pieces } from "../search/pieces.ts";
import { statuses } from "./statuses.ts";
import type { Storage } from "../storage.ts";
import type { Tables } from "../tables.ts";
import { errorToProto, type ErrorRow } from "./to-proto.ts";
import { firstTrendHour, hoursSince, trendOf } from "./trend.ts";

type SortColumn = "last_seen_at" | "first_seen_at" | "event_count";

const sortColumns: Readonly<Record<ErrorSort, SortColumn>> = {
  [ErrorSort.UNSPECIFIED]: "last_seen_at",
  [ErrorSort.LAST_SEEN]: "last_seen_at",
  [ErrorSort.FIRST_SEEN]: "first_seen_at",
  [ErrorSort.EVENT_COUNT]: "event_count",
};

/** Counts of a search stop here, so that a tab costs the same in a project of any size. */
const countedErrors = 1000;

/** A row of the page with the counts of the tabs; a page without errors is one row of counts. */
type Listed = { unresolved: number; resolved: number; ignored: number } & (
  (ErrorRow & { hours: string }) | { id: null }
);

/**
 * A page of errors in keyset order, in both directions. One statement reads it with everything shown beside it: while
 * events arrive, each trip to SQLite's thread waits for the event loop, and six trips took longer than their work.
 */
export async function listErrors(
  parts: { readonly storage: Storage; readonly draws: Draws },
  request: ListErrorsRequest,
  now: number,
  limits?: AbortableQueryOptions,
): Promise<MessageInitShape<typeof ListErrorsResponseSchema>> {
  const { storage } = parts;
  const { projectId } = request;
  const read = limits ? storage.readExpensively : storage.read;
  const column = sortColumns[request.sort] ?? "last_seen_at";
  const list = JSON.stringify(["errors", projectId, column, request.status, request.query]);
  const place = readPageToken(list, request.pageToken, ["string", "number", "number"]);
  const backwards = place?.[0] === "before";
  const direction = backwards ? "asc" : "desc";
  const size = pageSizeOf(request);

  const search = await driven(parts, request, limits);

  // Each status is a walk along its own index; several are merged by sorting their first rows.
  const wanted = request.status === ErrorStatus.UNSPECIFIED ? statuses : [request.status];
  const walks = wanted.map((status) => {
    let walk = search
      .found(sql<ErrorStatus>`${status}`, search.driver.way !== "walk" && !search.driver.isCommon)
      .select(["id", column])
      .orderBy(column, direction)
      .orderBy("id", direction);
    if (place) {
      const [, value, id] = place;
      const beyond = backwards ? ">" : "<";
      walk = walk.where(({ eb, refTuple, tuple }) => eb(refTuple(column, "id"), beyond, tuple(value, id)));
    }
    return sql`select * from (${walk.limit(size + 1)})`;
  });
  const order = sql.raw(`order by ${column} ${direction}, id ${direction}`);
  const ids = sql<number>`(select id from (${sql.join(walks, sql` union all `)}) ${order} limit ${size + 1})`;
  const first = firstTrendHour(now);
  const page = withSettledLastSeen(storage.dialect, read, now)
    .select(hoursSince(storage.dialect, first).as("hours"))
    .where("id", "in", ids);
  const count = (status: ErrorStatus) => sql`coalesce((select n from counted where status = ${status}), 0)`;
  const { rows } = await sql<Listed>`with ${countedErrorsOf(search, column)}
    select counts.*, page.* from (
      select ${count(ErrorStatus.UNRESOLVED)} as unresolved, ${count(ErrorStatus.RESOLVED)} as resolved,
        ${count(ErrorStatus.IGNORED)} as ignored
    ) as counts left join (${page}) as page on true ${order}`.execute(read, limits);

  const errors = rows.filter((row) => row.id !== null);
  const hasMore = errors.length > size;
  const shown = backwards ? errors.slice(0, size).toReversed() : errors.slice(0, size);
  const token = (side: "before" | "after", row: ErrorRow | undefined) =>
    row ? pageToken(list, [side, row[column], row.id]) : "";
  const { unresolved = 0, resolved = 0, ignored = 0 } = rows[0] ?? {};
  const capped = (n: number) => Math.min(n, countedErrors);
  return {
    errors: shown.map((row) => errorToProto(row, trendOf(row.hours, first))),
    nextPageToken: hasMore || backwards ? token("after", shown.at(-1)) : "",
    previousPageToken: (backwards ? hasMore : place !== undefined) ? token("before", shown[0]) : "",
    statusCounts: { unresolved: capped(unresolved), resolved: capped(resolved), ignored: capped(ignored) },
  };
}

/** A search with its cheapest plan. */
async function driven(
  { storage, draws }: { readonly storage: Storage; readonly draws: Draws },
  { projectId, query }: ListErrorsRequest,
  limits?: AbortableQueryOptions,
) {
  const { dialect } = storage;
  const tokens = decisive(searchTokens(query));
  // A few candidates are examined once; of many, those of each status.
  const matchingIn = (errors: RawBuilder<unknown>) => idsOf(matchingAmong(storage, errors, tokens, true));
  const searched = { projectId, tokens, matching: matchingIn, mostCounted: countedErrors };
  const driver = await driverOf(storage, draws, searched, limits);
  const { way, isIndexed } = driver;
  const all = matchingAmong(storage, sql`integrated_error`, tokens, isIndexed).where("project_id", "=", projectId);
  const unmet = tokens.filter((token) => !driver.met.includes(token));
  const { statuses: foundStatuses } = way === "few" && driver.isCommon && unmet.length === 0 ? driver : {};
  const few = matchingAmong(storage, sql`integrated_error`, unmet, isIndexed).where(
    dialect.isAmong(projectId, driver.ids),
  );
  const found = (status: RawBuilder<ErrorStatus>, isAmong: boolean) => {
    if (way === "few" && !foundStatuses) return errorsIn(storage, sql`found`).where("status", "=", status);
    return isAmong
      ? matchingAmong(storage, dialect.among(projectId, status, driver.ids), unmet, isIndexed)
      : all.where("status", "=", status);
  };
  return { storage, projectId, tokens, matchingIn, driver, few, foundStatuses, found };
}

/** The table expressions that count the results of a search by status; they keep the column of the sort. */
function countedErrorsOf(search: Awaited<ReturnType<typeof driven>>, column: SortColumn): RawBuilder<unknown> {
  const { storage, projectId, tokens, matchingIn, driver, few, foundStatuses, found } = search;
  const { dialect } = storage;
  const { way, isIndexed } = driver;
  const countOf = (matches: RawBuilder<unknown>) =>
    sql`(select count(*) from (select 1 from (${matches}) as matching limit ${countedErrors}) as found_of_status)`;
  const countsByIndex = (pieces: Pieces) =>
    eachStatus((status) => {
      const sought = { projectId, tokens, pieces, matching: matchingIn };
      const ofStatus = dialect.idsOfStatus(sought, status, driver.statusShares.get(status) ?? 0);
      return sql`select cast(${status} as integer) as status, ${countOf(ofStatus)} as n`;
    });
  // One query for all statuses, so that the candidates are listed once.
  const countsByWalk = () =>
    sql`select status, ${countOf(idsOf(found(sql<ErrorStatus>`listed.status`, way === "among")))} as n
      from (${eachStatus((status) => sql`select cast(${status} as integer) as status`)}) as listed`;
  // Looking tags up from the index of texts took twice as long as from the errors.
  const isOfTexts = isIndexed && dialect.hasIndexedTexts && !tokens.some(isTag);
  const countsByStatus = () => {
    if (way === "by status") return countsByIndex(driver.pieces);
    return way === "walk" && isOfTexts ? countsByIndex([]) : countsByWalk();
  };
  if (foundStatuses) {
    return sql`counted as materialized (select status, count(*) as n from (${foundStatuses}) as found group by status)`;
  }
  if (way !== "few") return sql`counted as materialized (${countsByStatus()})`;
  return sql`found as materialized ${few.select(["id", "status", column])},
          counted as materialized (select status, count(*) as n from found group by status)`;
}

/** The errors, of any project and status, that a search finds. */
export function matching(storage: Storage, tokens: readonly SearchToken[]) {
  return matchingAmong(storage, sql`integrated_error`, tokens, false);
}

/** The errors of a table that a search finds. `isIndexed`: see Driver. */
function matchingAmong(
  storage: Storage,
  errors: RawBuilder<unknown>,
  tokens: readonly SearchToken[],
  isIndexed: boolean,
) {
  let query = errorsIn(storage, errors);
  for (const token of tokens) {
    query = query.where((builder) => condition(storage.dialect, builder, token, { isIndexed }));
  }
  return query;
}

type Errors = ReturnType<typeof matchingAmong>;

const idsOf = (errors: Errors) => sql`${errors.select("id")}`;

const eachStatus = (query: (status: ErrorStatus) => RawBuilder<unknown>) =>
  sql.join(statuses.map(query), sql` union all `);

function errorsIn({ read }: Storage, errors: RawBuilder<unknown>) {
  return read.selectFrom(sql<Tables["integrated_error"]>`${errors}`.as("integrated_error"));
}
