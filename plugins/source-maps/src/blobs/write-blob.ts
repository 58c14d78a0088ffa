import { hash } from "node:crypto";
import { promisify } from "node:util";
import { zstdCompress } from "node:zlib";
import type { Database } from "@faultline/plugin";
import type { Kysely } from "kysely";
import type { Tables } from "../tables.ts";

const compress = promisify(zstdCompress);

/** Bytes of a page before compression: a lookup reads a few of them. */
export const pageBytes = 64 * 1024;

/** Pages that a transaction writes, so that storing events waits only for some milliseconds. */
const pagesAtOnce = 8;

/** A stored content. */
export interface Written {
  readonly id: number;
  /** Compressed bytes that were added; 0 where the project had the content. */
  readonly added: number;
}

/** Stores a content for a project, unless the project has it. What an interrupted call left is written again. */
export async function writeBlob(database: Database, projectId: number, content: Uint8Array): Promise<Written> {
  const write = database.write<Tables>();
  const digest = Buffer.from(hash("sha256", content, "hex"), "hex");
  const stored = await write
    .selectFrom("source_blob")
    .select(["id", "is_complete"])
    .where("project_id", "=", projectId)
    .where("digest", "=", digest)
    .executeTakeFirst();
  if (stored?.is_complete === 1) return { id: Number(stored.id), added: 0 };
  if (stored) await write.deleteFrom("source_blob").where("id", "=", stored.id).execute();
  const { id } = await write
    .insertInto("source_blob")
    .values({ project_id: projectId, digest, size: content.length, is_complete: 0 })
    .returning("id")
    .executeTakeFirstOrThrow();
  const added = await writePages(write, id, content);
  await write.updateTable("source_blob").set({ is_complete: 1 }).where("id", "=", id).execute();
  return { id: Number(id), added };
}

async function writePages(write: Kysely<Tables>, id: number, content: Uint8Array): Promise<number> {
  let added = 0;
  const pages = Math.ceil(content.length / pageBytes);
  for (let first = 0; first < pages; first += pagesAtOnce) {
    const rows = await Promise.all(
      Array.from({ length: Math.min(pagesAtOnce, pages - first) }, async (_, n) => {
        const page = first + n;
        const bytes = content.subarray(page * pageBytes, (page + 1) * pageBytes);
        return { blob_id: id, page, content: await compress(bytes) };
      }),
    );
    added += rows.reduce((sum, row) => sum + row.content.length, 0);
    await write.insertInto("source_blob_page").values(rows).execute();
  }
  return added;
}
