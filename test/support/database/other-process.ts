import { fork, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { databaseOf } from "./database-of.ts";
import { atEndOf } from "../run/end-of-file.ts";
import { withPostgresql, type PostgresqlClient } from "./postgresql.ts";
import type { SqliteReply, SqliteRequest } from "./sqlite-process.ts";
import { tempDir } from "../service/temp-dir.ts";

// File locks belong to a process, so SQL that must conflict with a service in the test's process runs in another
// process. Nor may the test open that file with a second library: the library does not see the locks of the first,
// assumes that it is alone and truncates the log's index, and the first library dies of SIGBUS
// (https://www.sqlite.org/howtocorrupt.html, 2.2.1).

// One process serves a whole test file, because starting Node takes 0.05 s of a core and some files ask hundreds of
// times.

let sqlite: ChildProcess | undefined;
const pending = new Map<number, PromiseWithResolvers<SqliteReply["rows"]>>();
let requestCount = 0;

/** Starts the process. It ends with this process. */
function startSqlite(): ChildProcess {
  const child = fork(join(import.meta.dirname, "sqlite-process.ts"), {
    execArgv: ["--no-warnings"],
    serialization: "advanced", // for blobs
  });
  child.on("message", ({ id, rows, error }: SqliteReply) => {
    if (error === undefined) pending.get(id)?.resolve(rows);
    else pending.get(id)?.reject(new Error(error));
  });
  child.once("exit", () => {
    if (sqlite === child) sqlite = undefined;
    for (const { reject } of pending.values()) reject(new Error("the process of SQLite ended"));
  });
  child.unref();
  return child;
}

async function inSqlite(dataDir: string, work: SqliteRequest["work"]): Promise<SqliteReply["rows"]> {
  const child = (sqlite ??= startSqlite());
  const id = ++requestCount;
  const replied = Promise.withResolvers<SqliteReply["rows"]>();
  pending.set(id, replied);
  child.channel?.ref(); // otherwise nothing would keep this process alive while it waits
  child.send({ id, file: join(dataDir, "faultline.db"), work } satisfies SqliteRequest);
  try {
    return await replied.promise;
  } finally {
    pending.delete(id);
    if (pending.size === 0) child.channel?.unref();
  }
}

/** Runs statements on the database of a service, from another process. */
export async function execSql(dataDir: string, sql: string): Promise<void> {
  const url = databaseOf(dataDir);
  if (url !== undefined) return withPostgresql(url, async (client) => void (await client.query(sql)));
  await inSqlite(dataDir, { exec: sql });
}

/** The rows of a query on the database of a service, which may be running. */
export async function rowsOf(dataDir: string, sql: string): Promise<Record<string, unknown>[]> {
  const url = databaseOf(dataDir);
  return url !== undefined ? postgresqlRows(url, sql) : sqliteRows(dataDir, sql);
}

/** The rows of a query on the SQLite file of a service. */
export const sqliteRows = (dataDir: string, sql: string) => inSqlite(dataDir, { query: sql });

/**
 * The rows of a query on the database of a service in a separate process. This process may open that file, so it takes
 * no copy.
 */
export async function rowsOfServer({ dataDir }: { readonly dataDir: string }, sql: string) {
  const url = databaseOf(dataDir);
  if (url !== undefined) return postgresqlRows(url, sql);
  using database = new DatabaseSync(join(dataDir, "faultline.db"), { readOnly: true });
  return database.prepare(sql).all();
}

async function postgresqlRows(url: string, sql: string): Promise<Record<string, unknown>[]> {
  // Counts are bigint, which `pg` returns as text.
  const { rows } = await withPostgresql(url, (client) => client.query<Record<string, unknown>>(sql));
  const value = (one: unknown) => (typeof one === "string" && /^\d{1,15}$/.test(one) ? Number(one) : one);
  return rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, one]) => [name, value(one)])));
}

/** The names of the tables of a service in a separate process. */
export async function tablesOfServer(server: { readonly dataDir: string }): Promise<string[]> {
  const url = databaseOf(server.dataDir);
  if (url !== undefined) return withPostgresql(url, tablesIn);
  const rows = await rowsOfServer(server, "select name from sqlite_schema where type = 'table'");
  return rows.map(({ name }) => String(name));
}

/** Whether the database of a service contains a text as it is: in its files, or in a row of any table. */
export async function liesInDatabase(dataDir: string, text: string): Promise<boolean> {
  const url = databaseOf(dataDir);
  if (url === undefined) {
    const files = ["faultline.db", "faultline.db-wal"].map((file) => join(dataDir, file));
    return files.some((file) => existsSync(file) && readFileSync(file).includes(text));
  }
  return withPostgresql(url, async (client) => {
    for (const table of await tablesIn(client)) {
      const found = await client.query(`select 1 from "${table}" t where strpos(t::text, $1) > 0 limit 1`, [text]);
      if (found.rows.length > 0) return true;
    }
    return false;
  });
}

async function tablesIn(client: PostgresqlClient): Promise<string[]> {
  const { rows } = await client.query<{ tablename: string }>(
    "select tablename from pg_catalog.pg_tables where schemaname = 'public'",
  );
  return rows.map(({ tablename }) => tablename);
}

/**
 * Takes the write lock of the database from another process; the returned function releases it. On PostgreSQL, locks
 * every table against writes; reads still work.
 */
export async function takeDatabase(dataDir: string): Promise<() => Promise<void>> {
  const url = databaseOf(dataDir);
  if (url !== undefined) return takePostgresql(url);
  const script = `
    const { DatabaseSync } = require("node:sqlite");
    const database = new DatabaseSync(process.argv[1], { timeout: 5000 });
    database.exec("begin immediate");
    process.stdout.write("taken");
    process.stdin.resume();`;
  const args = ["--no-warnings", "--eval", script, join(dataDir, "faultline.db")];
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
  atEndOf("file", () => child.kill("SIGKILL"));
  await once(child.stdout, "data");
  return async () => {
    const ended = once(child, "close");
    child.stdin.end();
    await ended;
  };
}

/** Locks each table of a PostgreSQL database against writes. Reads still work. */
export async function takePostgresql(url: string): Promise<() => Promise<void>> {
  const giveBack = Promise.withResolvers<void>();
  const taken = Promise.withResolvers<void>();
  const ended = withPostgresql(url, async (client) => {
    const tables = (await tablesIn(client)).map((table) => `"${table}"`);
    const lock = `lock table ${tables.join(", ")} in exclusive mode`;
    await client.query("begin");
    // The service's transactions lock tables in other orders, so PostgreSQL may end this transaction because of a
    // deadlock.
    for (let attempt = 1; !(await locks(client, lock)); attempt++) {
      if (attempt === 10) throw new Error("deadlocked ten times");
      await client.query("rollback");
      await client.query("begin");
    }
    taken.resolve();
    await giveBack.promise;
    await client.query("rollback");
  });
  await Promise.race([taken.promise, ended]);
  return () => {
    giveBack.resolve();
    return ended;
  };
}

/** Whether the tables were locked. If not, PostgreSQL ended this side of a deadlock. */
async function locks(client: PostgresqlClient, lock: string): Promise<boolean> {
  try {
    await client.query(lock);
    return true;
  } catch (error) {
    if ((error as { code?: string }).code === "40P01") return false; // deadlock_detected
    throw error;
  }
}

/**
 * A copy, page by page, of the current SQLite database of a service in the test's process. The service may be running.
 */
export async function openCopy(dataDir: string): Promise<DatabaseSync> {
  const copy = join(tempDir(), "copy.db");
  await inSqlite(dataDir, { copyTo: copy });
  return new DatabaseSync(copy);
}
