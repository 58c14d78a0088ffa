import { execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { promisify } from "node:util";
import { databaseOf } from "./database-of.ts";
import { atEndOf } from "./end-of-file.ts";
import { withPostgresql, type PostgresqlClient } from "./postgresql.ts";
import { tempDir } from "./temp-dir.ts";

// Locks of files are those of a process: SQL that a service in the test's own process is to meet must run in another.
// Nor may the test read that file with a second library: not seeing the locks of the first, it takes itself for the only
// one, truncates the log's index, and the first dies of SIGBUS (https://www.sqlite.org/howtocorrupt.html, 2.2.1).

const open = `
  const { DatabaseSync } = require("node:sqlite");
  const database = new DatabaseSync(process.argv[1]);
  database.exec("pragma busy_timeout = 5000");
`;
const argumentsOf = (script: string, dataDir: string, ...more: string[]) => [
  "--no-warnings",
  "--eval",
  open + script,
  join(dataDir, "faultline.db"),
  ...more,
];

/** Runs statements on the database of a service, as another program would. */
export async function execSql(dataDir: string, sql: string): Promise<void> {
  const url = databaseOf(dataDir);
  if (url !== undefined) return withPostgresql(url, async (client) => void (await client.query(sql)));
  await promisify(execFile)(process.execPath, argumentsOf("database.exec(process.argv[2])", dataDir, sql));
}

/** What a query reads from the database of a service, which may be running. */
export async function rowsOf(dataDir: string, sql: string): Promise<Record<string, unknown>[]> {
  const url = databaseOf(dataDir);
  if (url !== undefined) return postgresqlRows(url, sql);
  using database = openCopy(dataDir);
  return database.prepare(sql).all();
}

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
  const script = `database.exec("begin immediate"); process.stdout.write("taken"); process.stdin.resume();`;
  const child = spawn(process.execPath, argumentsOf(script, dataDir), { stdio: ["pipe", "pipe", "inherit"] });
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
    await client.query("begin");
    await client.query(`lock table ${tables.join(", ")} in exclusive mode`);
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

/** A copy of the SQLite database as it is now, page by page, of a service in the test's own process; it may be running. */
export function openCopy(dataDir: string): DatabaseSync {
  const copy = join(tempDir(), "copy.db");
  execFileSync(
    process.execPath,
    argumentsOf(`require("node:sqlite").backup(database, process.argv[2])`, dataDir, copy),
  );
  return new DatabaseSync(copy);
}
