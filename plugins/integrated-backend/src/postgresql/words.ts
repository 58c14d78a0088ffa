import { sql, type RawBuilder } from "kysely";
import { pieceOfStatus } from "../search.ts";
import type { Pieces } from "../search-pieces.ts";
import { storable } from "../storable-json.ts";
import type { Words } from "../storage.ts";

/** PostgreSQL's words. */
export const words: Words = {
  // Half the time of ILIKE. Columns have the collation "C", so that only ASCII letters become small.
  contains: (column, text) =>
    sql`position(${text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())} in lower(${sql.ref(column)})) > 0`,
  joinInOrder: sql`join`, // by statistics
  hourList: sql<string>`coalesce(json_agg(json_build_array(hour, event_count)), '[]')::text`,
  sortsByRowId: false,
  locked: sql`for update`,
  bigInteger: sql`bigint`,
  hiddenHash: sql`group_hash || int8send(id)`,
  storedPayloads: sql`select project_id, 0, sum(length(content)), 0 from integrated_payload group by 1`,
  expiredEvents: sql`select project_id, -sum(event_count) from integrated_expired group by 1`,
  sameProject: (one, other) => sql` and ${sql.ref(`${one}.project_id`)} = ${sql.ref(`${other}.project_id`)}`,
  errorsWith: (projectId, pieces) => sql`
    select error_id from integrated_search_due where project_id = ${projectId}
    union all
    select error_id from integrated_search where ${hasPieces(projectId, pieces)}`,
  // What is due may have been indexed with another status: it counts once. `offset 0`: rows are looked up one by one.
  ofStatus: (projectId, status, pieces) => {
    const due = sql`select error_id from integrated_search_due where project_id = ${projectId}`;
    return sql`(
      select error.* from (
        ${due}
        union all
        select error_id from integrated_search
        where ${hasPieces(projectId, [...pieces, [[pieceOfStatus(status)]]])} and error_id not in (${due})
      ) as may cross join lateral (
        select * from integrated_error where project_id = ${projectId} and id = may.error_id and status = ${status} offset 0
      ) as error)`;
  },
  // An array is looked up id by id, whatever the planner expects of the query.
  isAmong: (projectId, ids) => sql`project_id = ${projectId} and id = any (array(${ids}))`,
  isOfRelease: (projectId, ids) => sql`project_id = ${projectId} and release_id = any (array(${ids}))`,
  // `is true` and `offset 0`: the index is read and compared with a hashed list first, and rows only of what is in it.
  among: (projectId, status, ids) =>
    sql`(select error.* from (
      select id from integrated_error
      where project_id = ${projectId} and status = ${status} and (id in (${ids})) is true offset 0
    ) as listed cross join lateral (
      select * from integrated_error where project_id = ${projectId} and id = listed.id offset 0
    ) as error)`,
  jsonArray: (values) => sql`json_build_array(${sql.join(values)})`,
  jsonOfRows: (row) => sql`coalesce(json_agg(${row}), '[]')`,
  hexOf: (column) => sql`encode(${sql.ref(column)}, 'hex')`,
  valuesOf: (numbers, name) => sql`unnest(${numbers}::bigint[]) as ${sql.ref(name)} (value)`,
};

/**
 * That an indexed text has some pieces. The index of trigrams is chosen by the cost of its function; for two letters all
 * texts of the project are read, as GIN cannot look up the beginning of an entry.
 */
function hasPieces(projectId: number, pieces: Pieces): RawBuilder<unknown> {
  return allOf(
    pieces.map((forms) => anyOf(forms.map((form) => allOf(form.map((piece) => hasPiece(projectId, piece)))))),
  );
}

function hasPiece(projectId: number, piece: string): RawBuilder<unknown> {
  const stored = storable(piece);
  return Array.from(stored).length < 3
    ? sql`project_id = ${projectId} and position(${stored} in text) > 0`
    : sql`integrated_trigrams(project_id, text) @> integrated_trigrams(${projectId}, ${stored})`;
}

const allOf = (terms: readonly RawBuilder<unknown>[]) => sql`(${sql.join(terms, sql` and `)})`;
const anyOf = (terms: readonly RawBuilder<unknown>[]) => sql`(${sql.join(terms, sql` or `)})`;
