import { promisify } from "node:util";
import { zstdDecompress } from "node:zlib";
import type { Database, Host } from "@faultline/plugin";
import { BoundedMap, FairQueue, LoopSlices } from "@faultline/plugin/flow";
import { LineIndex, LineIndexer, sliceBytes } from "../mapping/lines/line-index.ts";
import type { RangeReader } from "../mapping/look-up.ts";
import type { Tables } from "../tables.ts";
import { pageBytes } from "./write-blobs.ts";

const decompress = promisify(zstdDecompress);

/** Pages that stay in memory: 32 MiB. */
const keptPages = 512;

/** Reads stored contents, and keeps the pages read last. A page that is missing is an error. */
export class BlobReader {
  readonly #database: Database;
  /** By blob and page; the one read last is the last. */
  readonly #pages = new Map<string, Promise<Buffer>>();

  constructor(database: Database) {
    this.#database = database;
  }

  /** The content of a blob by ranges. Fails if it does not exist. */
  async open(id: number): Promise<RangeReader> {
    const blob = await this.#database
      .read<Tables>()
      .selectFrom("source_blob")
      .select(["size"])
      .where("id", "=", id)
      .where("is_complete", "=", 1)
      .executeTakeFirstOrThrow();
    const size = Number(blob.size);
    return { size, read: (offset, length) => this.#read(id, offset, Math.min(length, size - offset)) };
  }

  /** The whole content. */
  async whole(id: number): Promise<Uint8Array> {
    const reader = await this.open(id);
    return reader.read(0, reader.size);
  }

  async #read(id: number, offset: number, length: number): Promise<Uint8Array> {
    if (length <= 0) return new Uint8Array();
    const [first, last] = [Math.floor(offset / pageBytes), Math.floor((offset + length - 1) / pageBytes)];
    const pages = await Promise.all(Array.from({ length: last - first + 1 }, (_, n) => this.#page(id, first + n)));
    const [page] = pages;
    const start = offset - first * pageBytes;
    const bytes = pages.length === 1 && page ? page : Buffer.concat(pages);
    return bytes.subarray(start, start + length);
  }

  #page(id: number, page: number): Promise<Buffer> {
    const key = `${id}/${page}`;
    const known = this.#pages.get(key) ?? this.#load(id, page);
    this.#pages.delete(key);
    this.#pages.set(key, known);
    const [oldest] = this.#pages.keys();
    if (this.#pages.size > keptPages && oldest !== undefined) this.#pages.delete(oldest);
    known.catch(() => this.#pages.delete(key)); // it is read again; the caller has the error
    return known;
  }

  async #load(id: number, page: number): Promise<Buffer> {
    const { content } = await this.#database
      .read<Tables>()
      .selectFrom("source_blob_page")
      .select("content")
      .where("blob_id", "=", id)
      .where("page", "=", page)
      .executeTakeFirstOrThrow();
    // Node takes another piece of that size when one is full, and asks zstd once more: 0.23 ms a page instead of 0.14.
    return decompress(content, { chunkSize: pageBytes + 1, maxOutputLength: pageBytes });
  }
}

/** A stored source with the index of its lines. */
interface IndexedSource {
  readonly reader: RangeReader;
  readonly index: LineIndex;
}

/** Indexes that are kept: 6 MiB, if each is one of the largest. */
const keptSources = 500;

/**
 * Opens sources with the indexes of their lines. Those stored before there were indexes get theirs when they are first read, one source at
 * a time and in slices of the event loop: 25 MiB take 0.1 s of it.
 */
export class LineIndexes {
  readonly #host: Pick<Host, "database" | "log">;
  readonly #blobs: BlobReader;
  readonly #known = new BoundedMap<number, Promise<IndexedSource>>(keptSources);
  readonly #made = new FairQueue({ atOnce: 1 });

  constructor({ host, blobs }: { readonly host: Pick<Host, "database" | "log">; readonly blobs: BlobReader }) {
    this.#host = host;
    this.#blobs = blobs;
  }

  /** Fails if the blob does not exist. */
  open(blobId: number): Promise<IndexedSource> {
    const opened = this.#known.get(blobId) ?? this.#open(blobId);
    this.#known.set(blobId, opened);
    opened.catch(() => this.#known.delete(blobId)); // it is opened again; the caller has the error
    return opened;
  }

  async #open(blobId: number): Promise<IndexedSource> {
    const reader = await this.#blobs.open(blobId);
    if (reader.size <= sliceBytes) return { reader, index: new LineIndex(await made(reader)) };
    const read = this.#host.database.read<Tables>();
    const row = await read
      .selectFrom("source_blob_lines")
      .select("places")
      .where("blob_id", "=", blobId)
      .executeTakeFirst();
    const stored = row && new LineIndex(row.places);
    if (stored?.textEnd.bytes === reader.size) return { reader, index: stored };
    const { project_id: projectId } = await read
      .selectFrom("source_blob")
      .select("project_id")
      .where("id", "=", blobId)
      .executeTakeFirstOrThrow();
    const places = await this.#made.run({ owners: [String(projectId)] }, () => made(reader));
    // Nobody waits for it: events are also read while the database takes no writes.
    storeLineIndexes(this.#host.database, [{ blob_id: blobId, places: Buffer.from(places.buffer) }]).catch(
      (error: unknown) => this.#host.log.warn({ err: error, blobId }, "the index of a source could not be stored"),
    );
    return { reader, index: new LineIndex(places) };
  }
}

/** Stores the indexes of sources that are not stored yet. */
export async function storeLineIndexes(
  database: Host["database"],
  rows: readonly Tables["source_blob_lines"][],
): Promise<void> {
  for (let n = 0; n < rows.length; n += rowsAtOnce)
    await database
      .write<Tables>()
      .insertInto("source_blob_lines")
      .values(rows.slice(n, n + rowsAtOnce))
      .onConflict((conflict) => conflict.doNothing())
      .execute();
}

/** Indexes of an insert: 12 KiB each at most. */
const rowsAtOnce = 50;

async function made(reader: RangeReader): Promise<Uint8Array<ArrayBuffer>> {
  const slices = new LoopSlices();
  const { size } = reader;
  const indexer = new LineIndexer(size);
  for (let at = 0; at < size; at += sliceBytes) {
    indexer.add(await reader.read(at, Math.min(sliceBytes, size - at)));
    await slices.next();
  }
  return indexer.bytes();
}
