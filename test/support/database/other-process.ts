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

// Locks of files are those of a process: SQL that a service in the test's own process is to meet must run in another.
// Nor may the test read that file with a second library: not seeing the locks of the first, it takes itself for the only
// one, truncates the log's index, and the first dies of SIGBUS (https://www.sqlite.org/howtocorrupt.html, 2.2.1).

// One process serves all of a test file, as starting Node takes 0.05 s of a core, and some files ask hundreds of times.

let sqlite: ChildProcess | undefined;
const pending = new Map<number, PromiseWithResolvers<SqliteReply["rows"]>>();
let requestCount = 0;

/** Starts the process; it ends with this one. */
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
  child.channel?.ref(); // nothing else may keep this process alive while it waits
  child.send({ id, file: join(dataDir, "faultline.db"), work } satisfies SqliteRequest);
  try {
    return await replied.promise;
  } finally {
    pending.delete(id);
    if (pending.size === 0) child.channel?.unref();
  }
}

/** Runs statements on the database of a service, as another program would. */
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

/** The same of a file of SQLite. */
export const sqliteRows = (dataDir: string, sql: string) => inSqlite(dataDir, { query: sql });

/** The same of a service in a process of its own, whose file this one may open: it takes no copy. */
export async function rowsOfServer({ dataDir }: { readonly dataDir: string }, sql: string) {
  const url = databaseOf(dataDir);
  if (url !== undefined) return postgresqlRows(url, sql);
  using database = new DatabaseSync(join(dataDir, "faultline.db"), { readOnly: true });
  return database.prepare(sql).all();
}

async function postgresqlRows(url: string, sql: string): Promise<Record<string, unknown>[]> {
  // Counts are bigint, which `pg` reads as texts.
  const { rows } = await withPostgresql(url, (client) => client.query<Record<string, unknown>>(sql));
  const value = (one: unknown) => (typeof one === "string" && /^\d{1,15}$/.test(one) ? Number(one) : one);
  return rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, one]) => [name, value(one)])));
}

/** The names of the tables of a service in a process of its own. */
export async function tablesOfServer(server: { readonly dataDir: string }): Promise<string[]> {
  const url = databaseOf(server.dataDir);
  if (url !== undefined) return withPostgresql(url, tablesIn);
  const rows = await rowsOfServer(server, "select name from sqlite_schema where type = 'table'");
  return rows.map(({ name }) => String(name));
}

/** Whether a text lies anywhere in the database of a service as it is: in its files, or in a row of any table. */
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
 * Takes the write lock of the database as another program would; the returned function gives it back. On PostgreSQL that
 * is a lock on each table, which lets others read.
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

/** Takes a lock on each table of a PostgreSQL database, which lets others read. */
export async function takePostgresql(url: string): Promise<() => Promise<void>> {
  const giveBack = Promise.withResolvers<void>();
  const taken = Promise.withResolvers<void>();
  const ended = withPostgresql(url, async (client) => {
    const tables = (await tablesIn(client)).map((table) => `"${table}"`);
    const lock = `lock table ${tables.join(", ")} in exclusive mode`;
    await client.query("begin");
    // The service's transactions lock tables in other orders, so that PostgreSQL may end this one as deadlocked.
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

/** Whether the tables were locked; otherwise PostgreSQL chose to end this side of a deadlock. */
async function locks(client: PostgresqlClient, lock: string): Promise<boolean> {
  try {
    await client.query(lock);
    return true;
  } catch (error) {
    if ((error as { code?: string }).code === "40P01") return false; // deadlock_detected
    throw error;
  }
}

/** A copy of the SQLite database as it is now, page by page, of a service in the test's own process; it may be running. */
export async function openCopy(dataDir: string): Promise<DatabaseSync> {
  const copy = join(tempDir(), "copy.db");
  await inSqlite(dataDir, { copyTo: copy });
  return new DatabaseSync(copy);
}
