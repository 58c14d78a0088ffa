import { statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

export interface DatabaseSize {
  /** Bytes of the database file. */
  readonly file: number;
  readonly log: number;
  /** Bytes within the file that hold nothing. */
  readonly free: number;
}

/** The size of a service's database on disk. The service may be running. */
export function databaseSize(dataDir: string): DatabaseSize {
  const path = join(dataDir, "faultline.db");
  const free = Number(read(dataDir, "pragma freelist_count")) * Number(read(dataDir, "pragma page_size"));
  return { file: bytesOf(path), log: bytesOf(`${path}-wal`), free };
}

function bytesOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** How many events were ever stored, by the number of the last. */
export function storedEvents(dataDir: string): number {
  return Number(read(dataDir, "select max(id) from integrated_event") ?? 0);
}

/** When the first of the stored events was received, in milliseconds since 1970. */
export function oldestReceivedAt(dataDir: string): number {
  return Number(read(dataDir, "select received_at from integrated_event order by id limit 1"));
}

/** The first column of the first row. */
function read(dataDir: string, query: string): unknown {
  using database = new DatabaseSync(join(dataDir, "faultline.db"), { readOnly: true, timeout: 5_000 });
  return Object.values(database.prepare(query).get() ?? {})[0];
}
