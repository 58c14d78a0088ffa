import { hash } from "node:crypto";
import { promisify } from "node:util";
import { zstdCompress } from "node:zlib";
import type { Host } from "@faultline/plugin";
import type { Kysely } from "kysely";
import type { Tables } from "../tables.ts";

const compress = promisify(zstdCompress);

/** Bytes of a page before compression: a lookup reads a few of them. */
export const pageBytes = 64 * 1024;

/** Pages that a transaction writes, so that storing events waits only for some milliseconds. */
const pagesAtOnce = 8;

/** Contents that share a transaction and its sync: most sources are small, and a build has thousands. */
const contentsAtOnce = 64;

/** A stored content. */
export interface Written {
  readonly id: number;
  /** Compressed bytes that were added; 0 if the project had the content. */
  readonly added: number;
}

/** Where contents are written. */
type Storage = Pick<Host, "database" | "admitStoring">;

/**
 * Stores contents that a project does not have yet, and returns all. Contents of an interrupted call are written again. Throws as
 * Host.admitStoring does: what is stored by then goes with `deleteOld`.
 */
export async function writeBlobs<const Contents extends readonly Uint8Array[]>(
  storage: Storage,
  projectId: number,
  contents: Contents,
): Promise<{ readonly [N in keyof Contents]: Written }> {
  const written: Written[] = [];
  for (const group of groupsOf(contents)) {
    const digests = group.map((content) => hash("sha256", content, "hex"));
    const missing = new Map(digests.map((digest, n) => [digest, group[n] ?? new Uint8Array()]));
    const known = await knownBlobs(storage, projectId, [...missing.keys()]);
    for (const digest of known.keys()) missing.delete(digest);
    const added = await writeMissing(storage, projectId, missing);
    // Of equal contents the first adds the bytes.
    for (const digest of digests) {
      const [id, bytes] = [known.get(digest) ?? added.get(digest)?.id, added.get(digest)?.added ?? 0];
      if (id === undefined) throw new Error(`The content ${digest} was written and is not there.`);
      known.set(digest, id);
      added.delete(digest);
      written.push({ id, added: bytes });
    }
  }
  return written as { readonly [N in keyof Contents]: Written }; // one for each
}

/** Small contents by the transaction they share, and each large one by itself. */
function* groupsOf(contents: readonly Uint8Array[]): Generator<readonly Uint8Array[]> {
  let group: Uint8Array[] = [];
  let bytes = 0;
  for (const content of contents) {
    const isFull = group.length === contentsAtOnce || bytes + content.length > pagesAtOnce * pageBytes;
    if (isFull && group.length > 0) {
      yield group;
      [group, bytes] = [[], 0];
    }
    group.push(content);
    bytes += content.length;
  }
  if (group.length > 0) yield group;
}

/** The complete blobs of a project by digest; deletes the others. */
async function knownBlobs(
  { database }: Storage,
  projectId: number,
  digests: readonly string[],
): Promise<Map<string, number>> {
  const write = database.write<Tables>();
  const rows = await write
    .selectFrom("source_blob")
    .select(["id", "digest", "is_complete"])
    .where("project_id", "=", projectId)
    .where("digest", "in", digests.map(bytesOfDigest))
    .execute();
  const parts = rows.filter(({ is_complete }) => is_complete !== 1).map(({ id }) => id);
  if (parts.length > 0) await write.deleteFrom("source_blob").where("id", "in", parts).execute();
  const complete = rows.filter(({ is_complete }) => is_complete === 1);
  return new Map(complete.map(({ id, digest }) => [digest.toString("hex"), Number(id)]));
}

/** Writes contents by digest: a large content, or several small contents together. */
async function writeMissing(
  storage: Storage,
  projectId: number,
  contents: ReadonlyMap<string, Uint8Array>,
): Promise<Map<string, Written>> {
  const [large] = contents;
  if (!large) return new Map();
  if (large[1].length > pagesAtOnce * pageBytes)
    return new Map([[large[0], await writeLarge(storage, projectId, large)]]);
  const pagesOf = new Map<string, readonly Page[]>();
  for (const [digest, content] of contents) pagesOf.set(digest, await compressed(content, 0));
  storage.admitStoring(bytesOf([...pagesOf.values()].flat()), projectId);
  return storage.database
    .write<Tables>()
    .transaction()
    .execute(async (transaction) => {
      const blobs = await insertBlobs(transaction, projectId, { contents, isComplete: 1 });
      await insertPages(
        transaction,
        [...blobs].flatMap(([digest, id]) => (pagesOf.get(digest) ?? []).map((page) => ({ blob_id: id, ...page }))),
      );
      return new Map([...blobs].map(([digest, id]) => [digest, { id, added: bytesOf(pagesOf.get(digest) ?? []) }]));
    });
}

/** Writes a content of many pages in several transactions. */
async function writeLarge(
  { database, admitStoring }: Storage,
  projectId: number,
  [digest, content]: readonly [string, Uint8Array],
): Promise<Written> {
  const write = database.write<Tables>();
  const contents = new Map([[digest, content]]);
  const id = (await insertBlobs(write, projectId, { contents, isComplete: 0 })).get(digest) ?? 0;
  let added = 0;
  for (let first = 0; first * pageBytes < content.length; first += pagesAtOnce) {
    const pages = await compressed(content, first);
    admitStoring(bytesOf(pages), projectId);
    added += bytesOf(pages);
    await insertPages(
      write,
      pages.map((page) => ({ blob_id: id, ...page })),
    );
  }
  await write.updateTable("source_blob").set({ is_complete: 1 }).where("id", "=", id).execute();
  return { id, added };
}

interface Page {
  readonly page: number;
  readonly content: Buffer;
}

/** Pages that are compressed at the same time: SQLite's calls for events wait for the same four threads. */
const compressedAtOnce = 2;

/** The pages from one on that a transaction writes. */
async function compressed(content: Uint8Array, first: number): Promise<Page[]> {
  const end = Math.min(first + pagesAtOnce, Math.ceil(content.length / pageBytes));
  const pages: Page[] = [];
  for (let page = first; page < end; page += compressedAtOnce) {
    const numbers = Array.from({ length: Math.min(compressedAtOnce, end - page) }, (_, n) => page + n);
    pages.push(...(await Promise.all(numbers.map((number) => compressedPage(content, number)))));
  }
  return pages;
}

async function compressedPage(content: Uint8Array, page: number): Promise<Page> {
  const bytes = content.subarray(page * pageBytes, (page + 1) * pageBytes);
  // The size spares the tables of an unknown one: 0.39 ms a page instead of 0.73.
  return { page, content: await compress(bytes, { pledgedSrcSize: bytes.length }) };
}

const bytesOf = (pages: readonly Page[]) => pages.reduce((sum, { content }) => sum + content.length, 0);
const bytesOfDigest = (digest: string) => Buffer.from(digest, "hex");

/** The ids by digest. */
async function insertBlobs(
  write: Kysely<Tables>,
  projectId: number,
  { contents, isComplete }: { readonly contents: ReadonlyMap<string, Uint8Array>; readonly isComplete: 0 | 1 },
): Promise<Map<string, number>> {
  const rows = [...contents].map(([digest, content]) => ({
    project_id: projectId,
    digest: bytesOfDigest(digest),
    size: content.length,
    is_complete: isComplete,
  }));
  const inserted = await write.insertInto("source_blob").values(rows).returning(["id", "digest"]).execute();
  return new Map(inserted.map(({ id, digest }) => [digest.toString("hex"), Number(id)]));
}

async function insertPages(
  write: Kysely<Tables>,
  pages: readonly (Page & { readonly blob_id: number })[],
): Promise<void> {
  if (pages.length === 0) return; // only empty contents
  await write
    .insertInto("source_blob_page")
    .values([...pages])
    .execute();
}
