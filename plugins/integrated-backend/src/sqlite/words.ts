import { sql } from "kysely";
import type { Words } from "../storage.ts";
import { errorsWith } from "./search-index.ts";

/** SQLite's words; its LIKE ignores the case of ASCII letters. */
export const words: Words = {
  like: "like",
  joinInOrder: sql`cross join`,
  hourList: sql<string>`json_group_array(json_array(hour, event_count))`,
  sortsByRowId: true,
  locked: sql``, // the one writer has the file for itself
  bigInteger: sql`integer`,
  hiddenHash: sql`unhex(hex(group_hash) || printf('%016x', id))`,
  // The event that names a block may be gone while others are left in it.
  storedPayloads: sql`
    select project_id, 0, sum(length(content)), 0
    from integrated_payload join integrated_event on id = event_row_id group by 1
    union all
    select (
      select project_id from integrated_packed join integrated_event on id = event_row_id
      where event_row_id between first_row_id and last_row_id and block_row_id = last_row_id limit 1
    ), 0, sum(length(content)), 0 from integrated_block group by 1`,
  expiredEvents: sql`select 0, 0 where false`, // events and counters go together
  sameProject: () => sql``,
  errorsWith,
  isAmong: (projectId, ids) => sql`id in (${ids}) and +project_id = ${projectId}`, // `+`: not by the project's index
  idsOf: (list) => sql`select value from json_each(${list})`,
  valuesOf: (numbers, name) => sql`json_each(${JSON.stringify(numbers)}) as ${sql.ref(name)}`,
};
