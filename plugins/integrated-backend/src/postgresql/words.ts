import { sql } from "kysely";
import type { Words } from "../storage.ts";

/** PostgreSQL's words. */
export const words: Words = {
  like: "ilike",
  joinInOrder: sql`join`, // by statistics
  hourList: sql<string>`coalesce(json_agg(json_build_array(hour, event_count)), '[]')::text`,
  sortsByRowId: false,
  locked: sql`for update`,
  bigInteger: sql`bigint`,
  hiddenHash: sql`group_hash || int8send(id)`,
  sameProject: (one, other) => sql` and ${sql.ref(`${one}.project_id`)} = ${sql.ref(`${other}.project_id`)}`,
  valuesOf: (numbers, name) => sql`unnest(${numbers}::bigint[]) as ${sql.ref(name)} (value)`,
};
