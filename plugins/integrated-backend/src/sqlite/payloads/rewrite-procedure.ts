import { sql, type Kysely } from "kysely";
import type { Tables } from "../../tables.ts";

/** Blocks without some of their events. The lists are JSON lists of lists. */
export interface RewriteParameters {
  /** An entry per block: row ids of its last and first event, offset from 1 and length in `contents`. */
  readonly blocks: string;
  /** All blocks, concatenated. */
  readonly contents: Buffer;
  /** An entry per event that stays: its row id, its old block, its new block, start and length of its JSON there. */
  readonly rows: string;
}

/** Creates the view and its trigger on the writer's connection, as createBatchProcedure does. */
export async function createRewriteProcedure(database: Kysely<Tables>): Promise<void> {
  await sql`create temp view rewrite as select null as blocks, null as contents, null as rows where false`.execute(
    database,
  );
  await sql.raw(trigger).execute(database);
}

/**
 * Moves the events that stay into their new blocks atomically. False when one of them was deleted meanwhile. The old
 * blocks are deleted with the events that leave: see delete-procedure.ts.
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
