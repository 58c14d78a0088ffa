import type { ErrorStatus } from "@faultline/proto";
import { sql, type RawBuilder } from "kysely";
import { errorsIn, type SearchPlan } from "../search/plan.ts";
import { statuses } from "./statuses.ts";
import { beyond, directionsOf, idsIn, orderBy, walkedColumn, type SortColumn, type Walk, type Wanted } from "./walk.ts";

/**
 * The most errors of a list whose filters are checked at once. Beyond, the answer says how far it came, and its next
 * page goes on from there.
 */
export const examinedErrors = 750;

/**
 * A page of a search that checks errors one by one, and its counts. A first page, and each of a list by users, looks at
 * errors that the counts have checked.
 */
export function examinedWalk(search: SearchPlan, { column, statuses: wanted, place, limit }: Wanted): Walk {
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

/** `matched`: the results among the first errors of each status, with the column of the sort. */
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
 * The first errors of statuses in the order of a list, as a table. Comparisons of the value that sorts them are made here,
 * so that a list of the last day ends there.
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
