import { sql, type Kysely } from "kysely";
import type { Tables } from "../../tables.ts";

/** The rows that one step of packing writes. The lists are JSON lists of lists. */
export interface PackParameters {
  /** An entry per block: row ids of its last and first event, offset from 1 and length in `contents`. */
  readonly blocks: string;
  /** All blocks, concatenated. */
  readonly contents: Buffer;
  /** An entry per event: its row id, its block, start and length of its JSON in the decompressed block. */
  readonly rows: string;
}

/** Creates the view and its trigger on the writer's connection, as createBatchProcedure does. */
export async function createPackProcedure(database: Kysely<Tables>): Promise<void> {
  await sql`create temp view pack as select null as blocks, null as contents, null as rows where false`.execute(
    database,
  );
  await sql.raw(trigger).execute(database);
}

/** Moves payloads into blocks atomically. False when one of the events was deleted meanwhile. */
export async function callPackProcedure(database: Kysely<Tables>, pack: PackParameters): Promise<boolean> {
  const { blocks, contents, rows } = pack;
  try {
    await sql`insert into pack (blocks, contents, rows) values (${blocks}, ${contents}, ${rows})`.execute(database);
    return true;
  } catch (error) {
    if (String(error).includes(gone)) return false;
    throw error;
  }
}

const gone = "a payload to pack is gone";

const trigger = `create temp trigger packed instead of insert on pack begin

  select raise(abort, '${gone}') where json_array_length(new.rows) >
    (select count(*) from json_each(new.rows) join integrated_payload on event_row_id = value ->> 0);

  insert into integrated_block (last_row_id, first_row_id, content)
  select value ->> 0, value ->> 1, substr(new.contents, value ->> 2, value ->> 3) from json_each(new.blocks);

  insert into integrated_packed (event_row_id, block_row_id, start, length)
  select value ->> 0, value ->> 1, value ->> 2, value ->> 3 from json_each(new.rows);

  delete from integrated_payload where event_row_id in (select value ->> 0 from json_each(new.rows));

end`;
