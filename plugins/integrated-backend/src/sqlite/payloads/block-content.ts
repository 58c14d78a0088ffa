import type { Kysely } from "kysely";
import { jsonAt } from "../../event/payload.ts";
import type { Tables } from "../../tables.ts";

/** All JSON of a block, decompressed. Undefined if the block was deleted meanwhile. */
export async function blockContent(read: Kysely<Tables>, block: number): Promise<Buffer | undefined> {
  const row = await read
    .selectFrom("integrated_block")
    .select("content")
    .where("last_row_id", "=", block)
    .executeTakeFirst();
  return row && jsonAt({ encoding: null, start: 0, length: 0, content: row.content });
}
