import { sql, type Kysely } from "kysely";
import type { Tables } from "../../tables.ts";
import { blockContent } from "./block-content.ts";
import { compressBlock } from "./pack.ts";

/** Blocks without their leaving events. Undefined if none of the blocks has other events. */
export async function blocksWithout(
  read: Kysely<Tables>,
  blocks: readonly number[],
  leaving: ReadonlySet<number>,
): Promise<RewriteParameters | undefined> {
  const written: [last: number, first: number, offset: number, length: number][] = [];
  const rows: [rowId: number, before: number, block: number, start: number, length: number][] = [];
  const contents: Buffer[] = [];
  let end = 1; // SQL counts bytes from 1
  for (const block of blocks) {
    const staying = (await eventsOf(read, block)).filter(({ id }) => !leaving.has(id));
    const last = staying.at(-1);
    if (!last) continue;
    const whole = await blockContent(read, block);
    if (!whole) continue; // the block was deleted meanwhile
    const jsons: Buffer[] = [];
    let at = 0;
    for (const { id, start, length } of staying) {
      jsons.push(whole.subarray(start, start + length));
      rows.push([id, block, last.id, at, length]);
      at += length;
    }
    const content = await compressBlock(Buffer.concat(jsons));
    written.push([last.id, staying[0]?.id ?? last.id, end, content.length]);
    contents.push(content);
    end += content.length;
  }
  if (written.length === 0) return undefined;
  return { blocks: JSON.stringify(written), rows: JSON.stringify(rows), contents: Buffer.concat(contents) };
}

/** The events in a block, oldest first. */
async function eventsOf(read: Kysely<Tables>, block: number) {
  const { rows } = await sql<{ id: number; start: number; length: number }>`
    select event_row_id as id, start, length from integrated_packed
    where block_row_id = ${block} and event_row_id between
      (select first_row_id from integrated_block where last_row_id = ${block}) and ${block}
    order by event_row_id`.execute(read);
  return rows;
}

/** Blocks without some of their events. The lists are JSON lists of lists. */
export interface RewriteParameters {
  /** An entry per block: row ids of its last and first event, offset from 1 and length in `contents`. */
  readonly blocks: string;
  /** All blocks, concatenated. */
  readonly contents: Buffer;
  /** An entry per remaining event: its row id, its old block, its new block, start and length of its JSON there. */
  readonly rows: string;
}

/** Creates the view and its trigger on the writer's connection, like createBatchProcedure. */
export async function createRewriteProcedure(database: Kysely<Tables>): Promise<void> {
  await sql`create temp view rewrite as select null as blocks, null as contents, null as rows where false`.execute(
    database,
  );
  await sql.raw(trigger).execute(database);
}

/**
 * Moves the remaining events into their new blocks atomically. Returns false if one of them was deleted meanwhile. The
 * old blocks are deleted with the leaving events: see delete-procedure.ts.
 */
export async function callRewriteProcedure(database: Kysely<Tables>, rewrite: RewriteParameters): Promise<boolean> {
  const { blocks, contents, rows } = rewrite;
  try {
    await sql`insert into rewrite (blocks, contents, rows) values (${blocks}, ${contents}, ${rows})`.execute(database);
    return true;
  } catch (error) {
    if (String(error).includes(gone)) return false;
    throw error;
  }
}

const gone = "an event to keep is gone";

const trigger = `create temp trigger rewritten instead of insert on rewrite begin

  select raise(abort, '${gone}') where json_array_length(new.rows) > (
    select count(*) from json_each(new.rows) join integrated_packed
      on event_row_id = value ->> 0 and block_row_id = value ->> 1);

  -- A block is named by its newest event: where that stays, so does the name.
  insert into integrated_block (last_row_id, first_row_id, content)
  select value ->> 0, value ->> 1, substr(new.contents, value ->> 2, value ->> 3) from json_each(new.blocks) where true
  on conflict (last_row_id) do update set first_row_id = excluded.first_row_id, content = excluded.content;

  update integrated_packed set block_row_id = j.value ->> 2, start = j.value ->> 3, length = j.value ->> 4
  from json_each(new.rows) j where event_row_id = j.value ->> 0;

end`;
