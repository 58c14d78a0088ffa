import type { MessageInitShape } from "@bufbuild/protobuf";
import { pageSizeOf, pageToken, readPageToken, timestamp } from "@faultline/plugin";
import { ErrorSort, ErrorStatus, type ListErrorsRequest, type ListErrorsResponseSchema } from "@faultline/proto";
import { sql, type AbortableQueryOptions, type RawBuilder } from "kysely";
import type { Draws } from "../search/planning/draw.ts";
import { countedErrors, planSearch } from "../search/plan.ts";
import { nearestHints, untaggedHints } from "../search/search-hints.ts";
import { refuseUnknownTags } from "../search/unknown-tags.ts";
import type { Storage } from "../storage.ts";
import { walkOf } from "./error-walks.ts";
import { withSettledLastSeen } from "./errors.ts";
import { examinedErrors, examinedWalk } from "./examined-errors.ts";
import { withPlaces } from "../grouping/repeated-places.ts";
import { searchedEvent } from "./searched-event.ts";
import { statuses } from "./statuses.ts";
import { errorToProto, type ErrorRow } from "./to-proto.ts";
import { firstTrendHour, hoursSince, trendOf } from "./trend.ts";
import { directionsOf, orderBy, type Place, type SortColumn } from "./walk.ts";

const sortColumns: Readonly<Record<ErrorSort, SortColumn>> = {
  [ErrorSort.UNSPECIFIED]: "last_seen_at",
  [ErrorSort.LAST_SEEN]: "last_seen_at",
  [ErrorSort.FIRST_SEEN]: "first_seen_at",
  [ErrorSort.EVENT_COUNT]: "event_count",
  [ErrorSort.USER_COUNT]: "user_count",
};

/** What a page shows beside its errors. `last_value` and `last_id`: the last error that was examined. */
interface Beside {
  readonly unresolved: number;
  readonly resolved: number;
  readonly ignored: number;
  /** The errors of one status that were examined for its count, at most. */
  readonly counted: number;
  readonly examined: number;
  readonly last_value: number | null;
  readonly last_id: number | null;
}

/** A row of the page with what is beside it; a page without errors is one row of that. */
type Listed = Beside & ((ErrorRow & { hours: string }) | { id: null });

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

/** How far a walk came that has a bound. */
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
  const isRanked = column === "user_count"; // its pages are those of the errors that were examined
  const hasStopped = isEnded && !hasMore && !isRanked;
  const stop: readonly [number, number] | undefined = hasStopped ? [Number(last_value), Number(last_id)] : undefined;

  const token = (side: "before" | "after", at: readonly [value: number, id: number] | undefined) =>
    at ? pageToken(list, [side, ...at]) : "";
  const keyOf = (row: ErrorRow | undefined) => (row ? ([row[column], row.id] as const) : undefined);
  const [top, bottom] = [keyOf(shown[0]), keyOf(shown.at(-1))];
  const asked = place && ([place[1], place[2]] as const); // where the page began, if it shows nothing
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
