import { createHash } from "node:crypto";
import { Worker } from "node:worker_threads";

/** Whether the services of the running test file store in PostgreSQL. Otherwise they use SQLite. */
export const isOnPostgresql = () => process.env["TEST_DATABASE"] === "postgresql";

const made = new Set<string>();

/**
 * The PostgreSQL database, with its tables, of the service with this data directory; undefined if the service uses the
 * SQLite file there. The first call makes the database. Tests call this where they cannot await, so a thread makes the
 * database while this thread blocks for 0.2 s.
 */
export function databaseOf(dataDir: string): string | undefined {
  const serverUrl = process.env["TEST_POSTGRESQL"];
  if (!isOnPostgresql() || serverUrl === undefined) return undefined;
  const name = `test_${createHash("sha256").update(dataDir).digest("hex").slice(0, 20)}`;
  if (!made.has(name)) {
    const state = new Int32Array(new SharedArrayBuffer(4));
    new Worker(new URL("make-database.ts", import.meta.url), { workerData: { serverUrl, name, state } }).unref();
    Atomics.wait(state, 0, 0, 30_000);
    if (Atomics.load(state, 0) !== 1) throw new Error(`the database ${name} could not be made`);
    made.add(name);
  }
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}
