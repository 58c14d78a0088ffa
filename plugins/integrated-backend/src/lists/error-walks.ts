import { ErrorStatus } from "@faultline/proto";
import { sql, type Expression, type RawBuilder, type SqlBool } from "kysely";
import type { Pieces } from "../search/pieces.ts";
import { countedErrors, errorsIn, idsOf, type SearchPlan } from "../search/plan.ts";
import { isTag } from "../search/tokens.ts";
import { statuses } from "./statuses.ts";

export type SortColumn = "last_seen_at" | "first_seen_at" | "event_count" | "user_count";

/** Where a page begins: before or after an error of the list. */
export type Place = readonly [side: string, value: number, id: number];

/**
 * The most errors of a list whose filters are checked at once. Beyond, the answer says how far it came, and its next
 * page goes on from there.
 */
export const examinedErrors = 750;

/**
 * A list by users sorts this many of the errors seen last. An index on the count of users costs 6 % of storing an event
 * of a new user on SQLite.
 */
export const rankedErrors = 2_000;

interface Wanted {
  readonly column: SortColumn;
  readonly statuses: readonly ErrorStatus[];
  readonly place: Place | undefined;
  readonly limit: number;
}

/** The query for the ids of a page, with the table expressions that it reads: the examined errors, if they have a bound. */
export function walksOf(search: SearchPlan, asked: Wanted) {
  const { column, statuses: wanted, place, limit } = asked;
  const [direction, opposite] = place?.[0] === "before" ? (["asc", "desc"] as const) : (["desc", "asc"] as const);
  const [forwards, last] = [
    sql.raw(`order by ${column} ${direction}, id ${direction}`),
    sql.raw(`order by value ${opposite}, id ${opposite}`),
  ];
  if (column === "user_count")
    return { ...rankingOf(search, asked, direction), forwards, last: sql`order by value, id` };
  if (search.isBounded) {
    const walks = wanted.map((one) => sql`select * from (${keysOf(search, { column, status: one, place })}) as walk`);
    const examined = sql`examined as materialized (
      select id, value from (${sql.join(walks, sql` union all `)}) as walks
      order by value ${sql.raw(direction)}, id ${sql.raw(direction)} limit ${examinedErrors})`;
    const found = search.among(errorsOf(search, sql`examined`)).select(["id", column]);
    const page = found.orderBy(column, direction).orderBy("id", direction).limit(limit);
    return { tables: [examined], ids: idsIn(page), forwards, last, most: examinedErrors };
  }
  // Each status is a walk along its own index; several are merged by sorting their first rows.
  const walks = wanted.map((one) => {
    let walk = search.found(sql<ErrorStatus>`${one}`, search.driver.way !== "walk" && !search.driver.isCommon);
    if (place) walk = walk.where(beyond(column, place));
    const page = walk.select(["id", column]).orderBy(column, direction).orderBy("id", direction).limit(limit);
    return sql`select * from (${page})`;
  });
  const ids = sql<number>`(select id from (${sql.join(walks, sql` union all `)}) ${forwards} limit ${limit})`;
  return { tables: [], ids, forwards, last, most: 0 };
}

/** The errors seen last, in the order of their users; with filters, those of them that match. */
function rankingOf(search: SearchPlan, { statuses: wanted, place, limit }: Wanted, direction: "asc" | "desc") {
  const most = search.isBounded ? examinedErrors : rankedErrors;
  const walks = wanted.map((status) => {
    const newest = search.found(sql<ErrorStatus>`${status}`, search.driver.way !== "walk" && !search.driver.isCommon);
    const keys = search.isBounded
      ? keysOf(search, { column: "last_seen_at", status })
      : sql`${newest.select(["id", "last_seen_at as value"]).orderBy("last_seen_at", "desc").orderBy("id", "desc").limit(most)}`;
    return sql`select * from (${keys}) as walk`;
  });
  const examined = sql`examined as materialized (
    select id, value from (${sql.join(walks, sql` union all `)}) as walks order by value desc, id desc limit ${most})`;
  const errors = errorsOf(search, sql`examined`);
  let ranked = search.isBounded ? search.among(errors) : errorsIn(search.storage, errors);
  if (place) ranked = ranked.where(beyond("user_count", place));
  const page = ranked
    .select(["id", "user_count"])
    .orderBy("user_count", direction)
    .orderBy("id", direction)
    .limit(limit);
  return { tables: [examined], ids: idsIn(page), most };
}

const idsIn = (page: Expression<unknown>) => sql<number>`(select id from (${page}) as found)`;

const beyond = (column: SortColumn, [side, value, id]: Place) =>
  sql<SqlBool>`(${sql.ref(column)}, id) ${sql.raw(side === "before" ? ">" : "<")} (${value}, ${id})`;

/**
 * The first errors of a status in the order of a list: id and value. Comparisons of the value that sorts them are made
 * here, so that a list of the last day ends there.
 */
function keysOf(
  { projectId, filters }: SearchPlan,
  {
    column,
    status,
    place,
  }: { column: SortColumn; status: RawBuilder<unknown> | ErrorStatus; place?: Place | undefined },
): RawBuilder<unknown> {
  const direction = sql.raw(place?.[0] === "before" ? "asc" : "desc");
  const compared = filters.filter(({ term }) => term.of === "comparison" && comparedBy[column] === term.key);
  const conditions = [
    sql`project_id = ${projectId} and status = ${status}`,
    ...(place ? [beyond(column, place)] : []),
    ...compared.map(({ condition }) => condition),
  ];
  return sql`select id, ${sql.ref(column)} as value from integrated_error
    where ${sql.join(conditions, sql` and `)} order by ${sql.ref(column)} ${direction}, id ${direction} limit ${examinedErrors}`;
}

const comparedBy: Readonly<Record<SortColumn, string>> = {
  last_seen_at: "lastSeen",
  first_seen_at: "firstSeen",
  event_count: "timesSeen",
  user_count: "users",
};

/** The rows of a table of ids. */
const errorsOf = ({ storage, projectId }: SearchPlan, ids: RawBuilder<unknown>) =>
  sql`(select error.* from ${ids} as listed ${storage.dialect.joinInOrder} integrated_error as error
    on error.id = listed.id and error.project_id = ${projectId})`;

/** The table expressions that count the results of a search by status; they keep the column of the sort. */
export function countsOf(search: SearchPlan, sort: SortColumn): RawBuilder<unknown> {
  const column = sort === "user_count" ? "last_seen_at" : sort; // see rankingOf
  const { storage, projectId, tokens, matchingIn, driver, few, foundStatuses, found, isBounded } = search;
  const { dialect } = storage;
  const { way, isIndexed } = driver;
  if (isBounded) {
    const counts = eachStatus((status) => {
      const keys = sql`(${keysOf(search, { column, status })})`;
      return sql`select cast(${status} as integer) as status, ${countOf(idsOf(search.among(errorsOf(search, keys))))} as n,
        (select count(*) from ${keys} as keys) as examined`;
    });
    return sql`counted as materialized (${counts})`;
  }
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

const countOf = (matches: RawBuilder<unknown>) =>
  sql`(select count(*) from (select 1 from (${matches}) as matching limit ${countedErrors}) as found_of_status)`;

const eachStatus = (query: (status: ErrorStatus) => RawBuilder<unknown>) =>
  sql.join(statuses.map(query), sql` union all `);
