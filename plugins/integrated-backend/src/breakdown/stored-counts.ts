import { sql } from "kysely";
import type { Storage } from "../storage.ts";
import type { ErrorTable } from "../tables.ts";

export type ErrorIds = Pick<ErrorTable, "id" | "project_id">;

/** The tables that hold the counts of an error, `c` and `e`. */
export const countsOf = ({ dialect }: Storage, { id, project_id }: ErrorIds) =>
  sql`integrated_count c join integrated_error e on e.id = c.error_id${dialect.sameProject("e", "c")}
    and e.id = ${id} and e.project_id = ${project_id}`;

/** A breakdown says of `handled` yes and no, a search true and false. */
const handled = new Map([
  ["true", "yes"],
  ["false", "no"],
]);

/** How a breakdown names a counted value. */
export const shownValue = (key: string, value: string) => (key === "handled" ? (handled.get(value) ?? value) : value);
