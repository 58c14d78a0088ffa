import { inBackground } from "@faultline/plugin/flow";
import type { ErrorStatus } from "@faultline/proto";
import { sql, type Kysely, type RawBuilder } from "kysely";
import { pieceOfStatus } from "../search/tokens.ts";
import type { Pieces, Found, Search } from "../storage.ts";
import { storable } from "../event/storable-json.ts";
import type { DueError, Tables } from "../tables.ts";

// Indexing takes one statement per slice, for the same reason as storing (batch-procedure.ts). FTS5 ignores the case of
// all letters, and its matches are only candidates, so texts are indexed unchanged.

const due = "select value ->> 0 as project_id, value ->> 1 as error_id from json_each(new.errors)";

const trigger = `create temp trigger search_indexed instead of insert on search_index begin

  delete from integrated_search where rowid in (
    select project_id << 36 | error_id from (${due}) where error_id not in (select id from integrated_error));

  insert or replace into integrated_search (rowid, text)
  select e.project_id << 36 | e.id, concat_ws(char(31), '', e.title, e.type, e.value, e.culprit, e.level, char(30) || e.status)
  from (${due}) d cross join integrated_error e on e.id = d.error_id;

  delete from integrated_search_due where (project_id, error_id) in (${due});

end`;

/** Creates the view and its trigger on the writer's connection, like createBatchProcedure. */
export async function createSearchProcedure(database: Kysely<Tables>): Promise<void> {
  await sql`create temp view search_index as select null as errors where false`.execute(database);
  await sql.raw(trigger).execute(database);
}

/** See Storage.indexErrors. */
export async function callSearchProcedure(database: Kysely<Tables>, errors: readonly DueError[]): Promise<void> {
  const list = JSON.stringify(errors.map(({ project_id, error_id }) => [project_id, error_id]));
  await sql`insert into search_index (errors) values (${list})`.execute(database);
}

/** Pages of the index per step: 5 ms, and 11 ms for one step in twenty. With 25 pages the times were 12 and 19 ms. */
const mergedPages = 10;

/**
 * Merges the segments of the index into one and drops deleted entries. After every error had been indexed a second
 * time, merging made searches read the index 2 to 2.7 times as fast; for 100,000 errors it takes 1 s in total.
 */
export async function mergeSearchIndex(database: Kysely<Tables>, signal: AbortSignal): Promise<void> {
  // A negative number begins a merge of all segments, and positive numbers continue it (FTS5, "The 'merge' Command").
  for (let pages = -mergedPages; !signal.aborted; pages = mergedPages) {
    const isMerged = await inBackground(() => database.transaction().execute((writer) => mergeNext(writer, pages)));
    if (isMerged) return;
  }
}

/** Returns whether nothing was left to merge. The command itself is then the only change. */
async function mergeNext(writer: Kysely<Tables>, pages: number): Promise<boolean> {
  const changes = async () => (await sql<{ n: number }>`select total_changes() as n`.execute(writer)).rows[0]?.n ?? 0;
  const before = await changes();
  await sql`insert into integrated_search (integrated_search, rank) values ('merge', ${pages})`.execute(writer);
  return (await changes()) - before < 2;
}

/** See SqlDialect.errorsWith. */
export function errorsWith({ projectId, pieces }: Search, among?: RawBuilder<unknown>): Found {
  const ids = sql`
    select error_id from integrated_search_due where project_id = ${projectId}
    union all ${indexed(projectId, pieces)}`;
  if (among === undefined) return { ids, met: [] };
  return { ids: sql`select error_id from (${ids}) intersect select error_id from (${among})`, met: [] };
}

/** See SqlDialect.idsOfStatus. A due error may have been indexed with another status, but counts once. */
export function idsOfStatus({ projectId, pieces, matching }: Search, status: ErrorStatus): RawBuilder<unknown> {
  const dueErrors = sql`select error_id from integrated_search_due where project_id = ${projectId}`;
  return matching(sql`(
    select e.* from (
      ${dueErrors}
      union all
      select * from (${indexed(projectId, [...pieces, [[pieceOfStatus(status)]]])}) where error_id not in (${dueErrors})
    ) as may cross join integrated_error e
    where e.id = may.error_id and e.project_id = ${projectId} and e.status = ${status}
  )`);
}

/** A query for the errors of a project that have certain pieces in the index. */
function indexed(projectId: number, pieces: Pieces): RawBuilder<unknown> {
  const match = allOf(pieces.map((forms) => anyOf(forms.map((form) => allOf(form.map(matchOf))))));
  return sql`
    select rowid & ((1 << 36) - 1) as error_id from integrated_search
    where integrated_search match ${match}
      and rowid >= ${projectId} << 36 and rowid < (${projectId} + 1) << 36`;
}

const allOf = (terms: readonly RawBuilder<unknown>[]) => sql`'(' || ${sql.join(terms, sql` || ' AND ' || `)} || ')'`;
const anyOf = (terms: readonly RawBuilder<unknown>[]) => sql`'(' || ${sql.join(terms, sql` || ' OR ' || `)} || ')'`;

/**
 * FTS5's expression for a piece. Two letters are followed by a third letter or by the separator, so all third letters
 * in the index are tried.
 */
function matchOf(piece: string): RawBuilder<unknown> {
  const stored = storable(piece);
  if (Array.from(stored).length > 2) return sql`${quoted(stored)}`;
  return sql`'(' || (
    select coalesce(group_concat('"' || replace(term, '"', '""') || '"', ' OR '), ${quoted(nowhere)})
    from integrated_search_term where term >= ${stored} and term <= ${stored + lastLetter}
  ) || ')'`;
}

const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;

const lastLetter = "\u{10ffff}";
/** Made of letters that no text has. If a text had them, only its row would be read in addition. */
const nowhere = lastLetter.repeat(3);
