import { sql } from "kysely";
import { storableJson } from "../storable-json.ts";
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
  storedPayloads: sql`select project_id, 0, sum(length(content)), 0 from integrated_payload group by 1`,
  expiredEvents: sql`select project_id, -sum(event_count) from integrated_expired group by 1`,
  sameProject: (one, other) => sql` and ${sql.ref(`${one}.project_id`)} = ${sql.ref(`${other}.project_id`)}`,
  errorsWith: (projectId, texts, most) =>
    sql<string>`integrated_errors_with(${projectId}, ${storableJson(texts)}, ${most})::text`,
  // An array is looked up id by id, whatever the planner expects of the query.
  isAmong: (projectId, ids) => sql`project_id = ${projectId} and id = any (array(${ids}))`,
  idsOf: (list) => sql`select value::bigint from json_array_elements_text(${list}::json)`,
  valuesOf: (numbers, name) => sql`unnest(${numbers}::bigint[]) as ${sql.ref(name)} (value)`,
};
