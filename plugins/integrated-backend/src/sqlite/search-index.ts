import { sql, type Kysely, type RawBuilder } from "kysely";
import { storableJson } from "../storable-json.ts";
import type { DueError, Tables } from "../tables.ts";

// Indexing is one statement a slice, as storing is, and for the same reason (batch-procedure.ts). FTS5 ignores the case of
// all letters, and what is indexed decides nothing, so that the texts go there as they are.

const due = "select value ->> 0 as project_id, value ->> 1 as error_id from json_each(new.errors)";

const trigger = `create temp trigger search_indexed instead of insert on search_index begin

  delete from integrated_search where rowid in (
    select project_id << 36 | error_id from (${due}) where error_id not in (select id from integrated_error));

  insert or replace into integrated_search (rowid, text)
  select e.project_id << 36 | e.id, concat_ws(char(31), '', e.title, e.type, e.value, e.culprit, e.level, '')
  from (${due}) d cross join integrated_error e on e.id = d.error_id;

  delete from integrated_search_due where (project_id, error_id) in (${due});

end`;

/** Makes the view and its trigger on the writer's connection, as createBatchProcedure does. */
export async function createSearchProcedure(database: Kysely<Tables>): Promise<void> {
  await sql`create temp view search_index as select null as errors where false`.execute(database);
  await sql.raw(trigger).execute(database);
}

/** See Storage.indexErrors. */
export async function callSearchProcedure(database: Kysely<Tables>, errors: readonly DueError[]): Promise<void> {
  const list = JSON.stringify(errors.map(({ project_id, error_id }) => [project_id, error_id]));
  await sql`insert into search_index (errors) values (${list})`.execute(database);
}

/** See Words.errorsWith. */
export function errorsWith(projectId: number, texts: readonly (readonly string[])[], most: number): RawBuilder<string> {
  const match = texts.map((forms) => `(${forms.map(trigramsOf).join(" OR ")})`).join(" AND ");
  return sql<string>`(select json_group_array(error_id) from (
    select error_id from integrated_search_due where project_id = ${projectId}
    union all
    select rowid & ((1 << 36) - 1) from integrated_search
    where integrated_search match ${match}
      and rowid >= ${projectId} << 36 and rowid < (${projectId} + 1) << 36
    limit ${most} + 1))`;
}

/** FTS5's words for all trigrams of a text. */
function trigramsOf(text: string): string {
  const letters = Array.from(JSON.parse(storableJson(text)) as string); // as they are stored
  const trigrams = letters.slice(2).map((letter, n) => `${letters[n] ?? ""}${letters[n + 1] ?? ""}${letter}`);
  return `(${Array.from(new Set(trigrams), (one) => `"${one.replaceAll('"', '""')}"`).join(" AND ")})`;
}
