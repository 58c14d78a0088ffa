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
  const pageCount = Math.ceil(content.length / pageBytes);
  const isSmall = pageCount <= pagesAtOnce;
  let pages = await compressed(content, 0, pageCount);
  let added = bytesOf(pages);
  // A small one takes a transaction and its sync in place of three, and most sources are small.
  const id = await write.transaction().execute(async (transaction) => {
    const blob = await transaction
      .insertInto("source_blob")
      .values({ project_id: projectId, digest, size: content.length, is_complete: isSmall ? 1 : 0 })
      .returning("id")
      .executeTakeFirstOrThrow();
    await insertPages(transaction, blob.id, pages);
    return blob.id;
  });
  for (let first = pagesAtOnce; first < pageCount; first += pagesAtOnce) {
    pages = await compressed(content, first, pageCount);
    added += bytesOf(pages);
    await insertPages(write, id, pages);
  }
  if (!isSmall) await write.updateTable("source_blob").set({ is_complete: 1 }).where("id", "=", id).execute();
  return { id: Number(id), added };
}

interface Page {
  readonly page: number;
  readonly content: Buffer;
}

/** The pages from one on that a transaction writes. */
function compressed(content: Uint8Array, first: number, pageCount: number): Promise<Page[]> {
  return Promise.all(
    Array.from({ length: Math.min(pagesAtOnce, pageCount - first) }, async (_, n) => {
      const page = first + n;
      return { page, content: await compress(content.subarray(page * pageBytes, (page + 1) * pageBytes)) };
    }),
  );
}

const bytesOf = (pages: readonly Page[]) => pages.reduce((sum, { content }) => sum + content.length, 0);

async function insertPages(write: Kysely<Tables>, id: number, pages: readonly Page[]): Promise<void> {
  if (pages.length === 0) return; // an empty content
  await write
    .insertInto("source_blob_page")
    .values(pages.map((page) => ({ blob_id: id, ...page })))
    .execute();
}
