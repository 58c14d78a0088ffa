import { sql } from "kysely";
import type { SqlDialect } from "../storage.ts";
import { errorsWith, idsOfStatus } from "./search-index.ts";

/** The dialect of SQLite, whose LIKE ignores the case of ASCII letters. */
export const dialect: SqlDialect = {
  contains: (column, text) =>
    sql`${sql.ref(column)} like ${`%${text.replace(/[\\%_]/g, (sign) => `\\${sign}`)}%`} escape '\\'`,
  isLike: (text, pattern) => sql`${text} glob ${pattern.map((part) => part.replace(/[*?[]/g, "[$&]")).join("*")}`,
  isOneOf: (column, texts) => sql`${sql.ref(column)} in (select value from json_each(${JSON.stringify(texts)}))`,
  joinInOrder: sql`cross join`,
  hourList: sql<string>`json_group_array(json_array(hour, event_count))`,
  sortsByRowId: true,
  locked: sql``, // the only writer has the file to itself
  bigInteger: sql`integer`,
  hiddenHash: sql`unhex(hex(group_hash) || printf('%016x', id))`,
  // The event that names a block may be deleted while others remain in it.
  storedPayloads: sql`
    select project_id, 0, sum(length(content)), 0
    from integrated_payload join integrated_event on id = event_row_id group by 1
    union all
    select (
      select project_id from integrated_packed join integrated_event on id = event_row_id
      where event_row_id between first_row_id and last_row_id and block_row_id = last_row_id limit 1
    ), 0, sum(length(content)), 0 from integrated_block group by 1`,
  expiredEvents: sql`select 0, 0 where false`, // events leave their counters when they are deleted
  sameProject: () => sql``,
  errorsWith,
  hasIndexedTexts: false,
  idsOfStatus,
  isAmong: (projectId, ids) => sql`id in (${ids}) and +project_id = ${projectId}`, // `+`: not by the project's index
  isOfRelease: (_, ids) => sql`release_id in (${ids})`,
  among: (projectId, status, ids) =>
    sql`(select * from integrated_error where project_id = ${projectId} and status = ${status} and +id in (${ids}))`,
  jsonArray: (values) => sql`json_array(${sql.join(values)})`,
  jsonOfRows: (row) => sql`json_group_array(${row})`,
  hexOf: (column) => sql`hex(${sql.ref(column)})`,
  valuesOf: (numbers, name) => sql`json_each(${JSON.stringify(numbers)}) as ${sql.ref(name)}`,
};
