import type { ErrorStatus } from "@faultline/proto";
import { sql, type Expression, type RawBuilder, type SqlBool } from "kysely";

export type SortColumn = "last_seen_at" | "first_seen_at" | "event_count" | "user_count";

/** Where a page begins: before or after an error of the list. */
export type Place = readonly [side: string, value: number, id: number];

/** A page of a list: its order, the statuses that it shows, and the most errors that it needs. */
export interface Wanted {
  readonly column: SortColumn;
  readonly statuses: readonly ErrorStatus[];
  readonly place: Place | undefined;
  readonly limit: number;
}

/** The parts of the statement that reads a page with the counts of its search. */
export interface Walk {
  /**
   * Its table expressions: `counted`, the results by status, and `examined`, the id and value of the errors that the page
   * looks at, if their number has a bound.
   */
  readonly tables: readonly RawBuilder<unknown>[];
  /** A query for the ids of the page. */
  readonly ids: RawBuilder<number>;
  /** The bound; 0: there is none. */
  readonly most: number;
}

/** The column along which errors are looked at: a list by users sorts those that were seen last. */
export const walkedColumn = (column: SortColumn) => (column === "user_count" ? "last_seen_at" : column);

/** The direction in which the errors of a page are read, and the opposite. */
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

/** The ids of a query, which is evaluated once. */
export const idsIn = (page: Expression<unknown>) => sql<number>`(select id from (${page}) as found)`;
