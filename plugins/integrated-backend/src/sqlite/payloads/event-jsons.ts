import { sql, type Kysely } from "kysely";
import { jsonAt, type Place } from "../../event/payload.ts";
import type { Tables } from "../../tables.ts";
import { blockContent } from "./block-content.ts";

/** Payloads outside of blocks that are read at a time: the largest of them together are some megabytes. */
const chunk = 20;

/**
 * See Storage.eventJsons. Reads and decompresses each block once, one after another, so that only one thread of the
 * pool that ingestion shares is busy.
 */
export async function* eventJsons(
  database: Kysely<Tables>,
  ids: readonly number[],
): AsyncGenerator<readonly [rowId: number, json: Buffer]> {
  for (let at = 0; at < ids.length; at += chunk) {
    const { rows } = await sql<Place & { id: number }>`
      select event_row_id as id, encoding, start, length, content from integrated_payload
      where event_row_id in (select value from json_each(${JSON.stringify(ids.slice(at, at + chunk))}))`.execute(
      database,
    );
    for (const { id, ...place } of rows) yield [id, await jsonAt(place)];
  }
  const { rows: packed } = await sql<{ id: number; block: number; start: number; length: number }>`
    select event_row_id as id, block_row_id as block, start, length from integrated_packed
    where event_row_id in (select value from json_each(${JSON.stringify(ids)}))
    order by block_row_id desc`.execute(database);
  let read: { readonly block: number; readonly content: Buffer | undefined } | undefined;
  for (const { id, block, start, length } of packed) {
    if (read?.block !== block) read = { block, content: await blockContent(database, block) };
    if (read.content) yield [id, read.content.subarray(start, start + length)];
  }
}
