import type { ErrorStatus } from "@faultline/proto";
import { sql, type RawBuilder, type Expression, type SqlBool } from "kysely";
import type { Pieces } from "../storage.ts";
import { countedErrors, errorsIn, idsOf, type SearchPlan } from "../search/plan.ts";
import { isTag } from "../search/tokens.ts";
import { statuses } from "../tables.ts";

/**
 * A list by users sorts this many of the most recently seen errors. An index on the count of users would cost 6 % of
 * storing an event of a new user on SQLite.
 */
const rankedErrors = 2_000;

/** A page of a search that an index finds, or of a list without a search, and its counts. */
export function walkOf(search: SearchPlan, wanted: Wanted): Walk {
  const { column, statuses: of, place, limit } = wanted;
  if (column === "user_count") return rankingOf(search, wanted);
  const [direction] = directionsOf(place);
  // Each status is a walk along its own index. Several walks are merged by sorting their first rows.
  const walks = of.map((one) => {
    let walk = resultsOf(search, one);
    if (place) walk = walk.where(beyond(column, place));
    const page = walk.select(["id", column]).orderBy(column, direction).orderBy("id", direction).limit(limit);
    return sql`select * from (${page})`;
  });
  const ids = sql<number>`(select id from (${sql.join(walks, sql` union all `)}) ${orderBy(column, direction)} limit ${limit})`;
  return { tables: [countsOf(search, column)], ids, most: 0 };
}

/** The most recently seen errors, in the order of their users. */
function rankingOf(search: SearchPlan, { column, statuses: of, place, limit }: Wanted): Walk {
  const [direction] = directionsOf(place);
  const end = sql`${orderBy("value", "desc")} limit ${rankedErrors}`;
  const walks = of.map((status) => {
    const newest = resultsOf(search, status).select(["id", "last_seen_at as value"]);
    return sql`select * from (${newest.orderBy("last_seen_at", "desc").orderBy("id", "desc").limit(rankedErrors)}) as walk`;
  });
  const examined = sql`examined as materialized (select id, value from (${sql.join(walks, sql` union all `)}) as walks ${end})`;
  let ranked = errorsIn(search.storage, errorsOf(search, sql`examined`));
  if (place) ranked = ranked.where(beyond(column, place));
  const page = ranked.select(["id", column]).orderBy(column, direction).orderBy("id", direction).limit(limit);
  return { tables: [countsOf(search, column), examined], ids: idsIn(page), most: rankedErrors };
}

const resultsOf = (search: SearchPlan, status: ErrorStatus) =>
  search.found(sql<ErrorStatus>`${status}`, search.driver.way !== "walk" && !search.driver.isCommon);

/** The rows of a table of ids. */
const errorsOf = ({ storage, projectId }: SearchPlan, ids: RawBuilder<unknown>) =>
  sql`(select error.* from ${ids} as listed ${storage.dialect.joinInOrder} integrated_error as error
    on error.id = listed.id and error.project_id = ${projectId})`;

/** The table expressions that count the results of a search by status. They keep the column of the sort. */
function countsOf(search: SearchPlan, sort: SortColumn): RawBuilder<unknown> {
  const { storage, projectId, tokens, matchingIn, driver, few, foundStatuses, found } = search;
  const { dialect } = storage;
  const { way, isIndexed } = driver;
  const countsByIndex = (pieces: Pieces) =>
    eachStatus((status) => {
      const sought = { projectId, tokens, pieces, matching: matchingIn };
      const ofStatus = dialect.idsOfStatus(sought, status, driver.statusShares.get(status) ?? 0);
      return sql`select cast(${status} as integer) as status, ${countOf(ofStatus)} as n`;
    });
  // One query for all statuses, so that the candidates are listed only once.
  const countsByWalk = () =>
    sql`select status, ${countOf(idsOf(found(sql<ErrorStatus>`listed.status`, way === "among")))} as n
      from (${eachStatus((status) => sql`select cast(${status} as integer) as status`)}) as listed`;
  // Looking up tags from the index of texts took twice as long as from the errors.
  const isOfTexts = isIndexed && dialect.hasIndexedTexts && !tokens.some(isTag);
  const countsByStatus = () => {
    if (way === "by status") return countsByIndex(driver.pieces);
    return way === "walk" && isOfTexts ? countsByIndex([]) : countsByWalk();
  };
  if (foundStatuses) {
    return sql`counted as materialized (select status, count(*) as n from (${foundStatuses}) as found group by status)`;
  }
  if (way !== "few") return sql`counted as materialized (${countsByStatus()})`;
  return sql`found as materialized ${few.select(["id", "status", walkedColumn(sort)])},
          counted as materialized (select status, count(*) as n from found group by status)`;
}

const countOf = (matches: RawBuilder<unknown>) =>
  sql`(select count(*) from (select 1 from (${matches}) as matching limit ${countedErrors}) as found_of_status)`;

const eachStatus = (query: (status: ErrorStatus) => RawBuilder<unknown>) =>
  sql.join(statuses.map(query), sql` union all `);

export type SortColumn = "last_seen_at" | "first_seen_at" | "event_count" | "user_count";

/** The start of a page: before or after an error of the list. */
export type Place = readonly [side: string, value: number, id: number];

/** A requested page of a list: its order, its statuses, and the maximum number of errors. */
export interface Wanted {
  readonly column: SortColumn;
  readonly statuses: readonly ErrorStatus[];
  readonly place: Place | undefined;
  readonly limit: number;
}

/** The parts of the statement that reads a page with the counts of its search. */
export interface Walk {
  /**
   * The table expressions: `counted` has the results by status, and `examined` the id and value of the errors that the
   * page examines, if their number is limited.
   */
  readonly tables: readonly RawBuilder<unknown>[];
  /** A query for the ids of the page. */
  readonly ids: RawBuilder<number>;
  /** The limit, or 0 if there is none. */
  readonly most: number;
}

/** The column along which errors are examined. A list by users sorts the most recently seen errors. */
export const walkedColumn = (column: SortColumn) => (column === "user_count" ? "last_seen_at" : column);

/** The direction in which the errors of a page are read, and the opposite direction. */
export const directionsOf = (place: Place | undefined) =>
  place?.[0] === "before" ? (["asc", "desc"] as const) : (["desc", "asc"] as const);

/** The order of the rows of a table with a column of values and ids. */
export function orderBy(column: string, direction: "asc" | "desc"): RawBuilder<unknown> {
  const side = sql.raw(direction);
  return sql`order by ${sql.ref(column)} ${side}, id ${side}`;
}

/** The condition that an error comes after the place in the direction in which the page is read. */
export const beyond = (column: SortColumn, [side, value, id]: Place) =>
  sql<SqlBool>`(${sql.ref(column)}, id) ${sql.raw(side === "before" ? ">" : "<")} (${value}, ${id})`;

/** The ids of a query that is evaluated once. */
export const idsIn = (page: Expression<unknown>) => sql<number>`(select id from (${page}) as found)`;
