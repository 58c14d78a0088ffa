import { sql } from "kysely";
import type { Words } from "../storage.ts";

/** PostgreSQL's words. */
export const words: Words = {
  like: "ilike",
  joinInOrder: sql`join`, // by statistics
  hourList: sql<string>`coalesce(json_agg(json_build_array(hour, event_count)), '[]')::text`,
  sortsByRowId: false,
  storedPayloads: sql`select project_id, 0, sum(length(content)), 0 from integrated_payload group by 1`,
  expiredEvents: sql`select project_id, -sum(event_count) from integrated_expired group by 1`,
  sameProject: (one, other) => sql` and ${sql.ref(`${one}.project_id`)} = ${sql.ref(`${other}.project_id`)}`,
  valuesOf: (numbers, name) => sql`unnest(${numbers}::integer[]) as ${sql.ref(name)} (value)`,
};
