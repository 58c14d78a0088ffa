import type { MessageInitShape } from "@bufbuild/protobuf";
import { pageSizeOf, pageToken, readPageToken, timestamp, onlyError } from "@faultline/plugin";
import { ErrorSort, ErrorStatus, type ListErrorsRequest, type ListErrorsResponseSchema } from "@faultline/proto";
import { sql, type AbortableQueryOptions, type RawBuilder } from "kysely";
import type { Draws } from "../search/planning/draw.ts";
import { countedErrors, planSearch, errorsIn, type SearchPlan } from "../search/plan.ts";
import { nearestHints, untaggedHints } from "../search/search-hints.ts";
import { refuseUnknownTags } from "../search/unknown-tags.ts";
import type { Storage } from "../storage.ts";
import {
  walkOf,
  directionsOf,
  orderBy,
  type Place,
  type SortColumn,
  beyond,
  idsIn,
  walkedColumn,
  type Walk,
  type Wanted,
} from "./error-walks.ts";
import { withSettledLastSeen } from "./errors.ts";
import { withPlaces } from "../grouping/repeated-places.ts";
import { statuses } from "../tables.ts";
import { errorToProto, type ErrorRow, firstTrendHour, hoursSince, trendOf } from "./to-proto.ts";

const sortColumns: Readonly<Record<ErrorSort, SortColumn>> = {
  [ErrorSort.UNSPECIFIED]: "last_seen_at",
  [ErrorSort.LAST_SEEN]: "last_seen_at",
  [ErrorSort.FIRST_SEEN]: "first_seen_at",
  [ErrorSort.EVENT_COUNT]: "event_count",
  [ErrorSort.USER_COUNT]: "user_count",
};

/**
 * The values that a page shows in addition to its errors. `last_value` and `last_id` identify the last examined error.
 */
interface Beside {
  readonly unresolved: number;
  readonly resolved: number;
  readonly ignored: number;
  /** The number of errors of one status that were examined for its count. */
  readonly counted: number;
  readonly examined: number;
  readonly last_value: number | null;
  readonly last_id: number | null;
}

/** A row of the page with these values. A page without errors is one row with the values only. */
type Listed = Beside & ((ErrorRow & { hours: string }) | { id: null });

/**
 * Reads a page of errors in keyset order, in both directions. One statement reads it with everything else that it
 * shows: while events arrive, each trip to SQLite's thread waits for the event loop, and six trips took longer than
 * their work.
 */
export async function listErrors(
  parts: { readonly storage: Storage; readonly draws: Draws },
  request: ListErrorsRequest,
  now: number,
  limits?: AbortableQueryOptions,
): Promise<MessageInitShape<typeof ListErrorsResponseSchema>> {
  const { storage } = parts;
  const found = request.query === "" ? undefined : await searchedEvent(storage, request, now);
  if (found) return found;
  const read = limits ? storage.readExpensively : storage.read;
  const column = sortColumns[request.sort] ?? "last_seen_at";
  const list = JSON.stringify(["errors", request.projectId, column, request.status, request.query]);
  const place = readPageToken(list, request.pageToken, ["string", "number", "number"]);
  const size = pageSizeOf(request);

  if (!place) await refuseUnknownTags(storage, request, limits);
  const search = await planSearch(parts, request, { now, limits });
  const asked = search.statuses ?? (request.status === ErrorStatus.UNSPECIFIED ? statuses : [request.status]);
  if (asked.length === 0) return { errors: [], statusCounts: {} };
  const walk = search.isBounded ? examinedWalk : walkOf;
  const { tables, ids, most } = walk(search, { column, statuses: asked, place, limit: size + 1 });
  const first = firstTrendHour(now);
  const shown = withSettledLastSeen(storage.dialect, read, now)
    .select(hoursSince(storage.dialect, first).as("hours"))
    .where("id", "in", ids);
  const counted = (of: ErrorStatus) =>
    search.statuses?.includes(of) === false ? sql`0` : sql`coalesce((select n from counted where status = ${of}), 0)`;
  const [direction] = directionsOf(place);
  const [, opposite] = directionsOf(column === "user_count" ? undefined : place); // see walkedColumn
  const { rows } = await sql<Listed>`with ${sql.join(tables)}
    select beside.*, page.* from (
      select ${counted(ErrorStatus.UNRESOLVED)} as unresolved, ${counted(ErrorStatus.RESOLVED)} as resolved,
        ${counted(ErrorStatus.IGNORED)} as ignored, ${examinedOf(search.isBounded, most > 0, orderBy("value", opposite))}
    ) as beside left join (${shown}) as page on true ${orderBy(column, direction)}`.execute(read, limits);
  const page = pageOf(rows, { list, place, column, size, first, most });
  const answer = { ...page, errors: [...(await withPlaces(storage, request.projectId, page.errors))] };
  if (request.query === "" || place) return answer;
  const isNothing = rows[0]?.id === null && answer.examinedCount === 0;
  const { stored } = search;
  const searched = { ...request, stored, now };
  const nearest = isNothing ? await nearestHints(storage, searched, limits ?? {}) : [];
  return { ...answer, searchHints: [...nearest, ...(await untaggedHints(storage, searched, limits ?? {}))] };
}

/** How far a walk with a limit came. */
function examinedOf(hasFilters: boolean, isBounded: boolean, last: RawBuilder<unknown>): RawBuilder<unknown> {
  if (!isBounded) return sql`0 as counted, 0 as examined, null as last_value, null as last_id`;
  return sql`${hasFilters ? sql`(select max(examined) from counted)` : sql`0`} as counted, (select count(*) from examined) as examined,
    (select value from examined ${last} limit 1) as last_value,
    (select id from examined ${last} limit 1) as last_id`;
}

function pageOf(
  rows: readonly Listed[],
  parts: { list: string; place: Place | undefined; column: SortColumn; size: number; first: number; most: number },
) {
  const { list, place, column, size, first, most } = parts;
  const backwards = place?.[0] === "before";
  const errors = rows.filter((row) => row.id !== null);
  const hasMore = errors.length > size;
  const shown = backwards ? errors.slice(0, size).toReversed() : errors.slice(0, size);
  const { unresolved = 0, resolved = 0, ignored = 0, counted, examined, last_value, last_id } = rows[0] ?? {};
  const isEnded = most > 0 && Number(examined) === most && last_value !== null && last_value !== undefined;
  const isRanked = column === "user_count"; // its pages are the examined errors
  const hasStopped = isEnded && !hasMore && !isRanked;
  const stop: readonly [number, number] | undefined = hasStopped ? [Number(last_value), Number(last_id)] : undefined;

  const token = (side: "before" | "after", at: readonly [value: number, id: number] | undefined) =>
    at ? pageToken(list, [side, ...at]) : "";
  const keyOf = (row: ErrorRow | undefined) => (row ? ([row[column], row.id] as const) : undefined);
  const [top, bottom] = [keyOf(shown[0]), keyOf(shown.at(-1))];
  const asked = place && ([place[1], place[2]] as const); // the start of the page, if it shows nothing
  const capped = (n: number) => Math.min(Number(n), countedErrors);
  const isPartial = hasStopped || (isEnded && isRanked) || Number(counted) === examinedErrors;
  return {
    errors: shown.map((row) => errorToProto(row, trendOf(row.hours, first))),
    nextPageToken: backwards ? token("after", bottom ?? asked) : token("after", hasMore ? bottom : stop),
    previousPageToken: backwards ? token("before", hasMore ? top : stop) : token("before", place && (top ?? asked)),
    statusCounts: { unresolved: capped(unresolved), resolved: capped(resolved), ignored: capped(ignored) },
    examinedCount: isPartial ? most : 0,
    ...(stop && column !== "event_count" && { searchedToTime: timestamp(stop[0]) }),
    ...(isEnded && isRanked && { searchedToTime: timestamp(Number(last_value)) }),
  };
}

/** The error of an event if its id is the whole search. Undefined if the project has no such event. */
async function searchedEvent(
  storage: Storage,
  { projectId, query }: ListErrorsRequest,
  now: number,
): Promise<MessageInitShape<typeof ListErrorsResponseSchema> | undefined> {
  const eventId = query.trim().replaceAll("-", "").toLowerCase();
  if (!/^[0-9a-f]{32}$/.test(eventId)) return undefined;
  const row = await withSettledLastSeen(storage.dialect, storage.read, now)
    .where("project_id", "=", projectId)
    .where("id", "in", ({ selectFrom }) =>
      selectFrom("integrated_event as event")
        .select("event.error_id")
        .where("event.project_id", "=", projectId)
        .where("event.event_id", "=", Buffer.from(eventId, "hex")),
    )
    .executeTakeFirst();
  if (!row) return undefined;
  return { ...onlyError(errorToProto(row)), event: { eventId, errorId: String(row.id) } };
}

/**
 * Maximum errors of a list with filters to check in one request. Beyond them, the answer says how far it came, and its
 * next page continues from there.
 */
const examinedErrors = 750;

/**
 * A page of a search that checks errors one by one, and its counts. The first page, and each page of a list by users,
 * reads errors that the counts have already checked.
 */
function examinedWalk(search: SearchPlan, { column, statuses: wanted, place, limit }: Wanted): Walk {
  const isRanked = column === "user_count";
  const from = isRanked ? undefined : place;
  const first = firstErrors(search, { column, statuses: wanted, place: from });
  const examined = sql`examined as materialized (
    select id, ${sql.ref(walkedColumn(column))} as value from ${first} as first_errors)`;
  const checked = errorsIn(search.storage, sql`(select * from matched where id in (select id from examined))`);
  const found = from ? search.among(first) : place ? checked.where(beyond(column, place)) : checked;
  const [direction] = directionsOf(place);
  const page = found.select(["id", column]).orderBy(column, direction).orderBy("id", direction).limit(limit);
  return { tables: [...countsOf(search, column), examined], ids: idsIn(page), most: examinedErrors };
}

/** `matched` has the results among the first errors of each status, with the column of the sort. */
function countsOf(search: SearchPlan, column: SortColumn): RawBuilder<unknown>[] {
  const each = statuses.map((status) => ({ status, first: firstErrors(search, { column, statuses: [status] }) }));
  const matched = each.map(({ first }) => {
    const matching = search.among(first).select(["id", "status", column]);
    return sql`select * from (${matching}) as matching`;
  });
  const counts = each.map(
    ({ status, first }) => sql`select cast(${status} as integer) as status,
      (select count(*) from matched where status = ${status}) as n, (select count(*) from ${first} as first_errors) as examined`,
  );
  return [
    sql`matched as materialized (${sql.join(matched, sql` union all `)})`,
    sql`counted as materialized (${sql.join(counts, sql` union all `)})`,
  ];
}

/**
 * The first errors of statuses in the order of a list, as a table. Comparisons of the sort value are applied here, so
 * that a list of the last day reads no older errors.
 */
function firstErrors(
  { projectId, filters }: SearchPlan,
  { column, statuses: of, place }: Pick<Wanted, "column" | "statuses"> & Partial<Pick<Wanted, "place">>,
): RawBuilder<unknown> {
  const walked = walkedColumn(column);
  const [direction] = directionsOf(place);
  const end = sql`${orderBy(walked, direction)} limit ${examinedErrors}`;
  const compared = filters.filter(({ term }) => term.of === "comparison" && comparedBy[walked] === term.key);
  const walk = (status: ErrorStatus) => {
    const conditions = [
      sql`project_id = ${projectId} and status = ${status}`,
      ...(place ? [beyond(walked, place)] : []),
      ...compared.map(({ condition }) => condition),
    ];
    return sql`(select * from integrated_error where ${sql.join(conditions, sql` and `)} ${end})`;
  };
  const walks = of.map(walk);
  const [only] = walks;
  if (only && walks.length === 1) return only; // SQLite would sort its rows again
  const all = walks.map((one) => sql`select * from ${one} as walk`);
  return sql`(select * from (${sql.join(all, sql` union all `)}) as walks ${end})`;
}

const comparedBy: Readonly<Record<SortColumn, string>> = {
  last_seen_at: "lastSeen",
  first_seen_at: "firstSeen",
  event_count: "timesSeen",
  user_count: "users",
};
