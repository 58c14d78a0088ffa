import { sql, type Kysely } from "kysely";
import type { Tables } from "../../tables.ts";
import { blockContent } from "./block-content.ts";
import { compressBlock } from "./pack.ts";
import type { RewriteParameters } from "./rewrite-procedure.ts";

/** Blocks without the events that leave them; undefined where none of them has other events. */
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
    if (!whole) continue; // it was deleted meanwhile
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
