import { databaseOf } from "./database-of.ts";
import { openCopy, sqliteRows } from "./other-process.ts";
import { withPostgresql } from "./postgresql.ts";
import { recount, recountPostgresql, recountSessions, recountSessionsPostgresql } from "./recount.ts";

export type Row = Readonly<Record<string, unknown>>;

/**
 * The rows of a statement that both databases understand, from the database of the service with this data directory.
 */
export async function rowsOf(dataDir: string, sql: string): Promise<Row[]> {
  const url = databaseOf(dataDir);
  if (url !== undefined) return withPostgresql(url, async (client) => (await client.query<Row>(sql)).rows);
  return sqliteRows(dataDir, sql);
}

/** The number of rows of a table. */
export async function countOf(dataDir: string, table: string): Promise<number> {
  const [row] = await rowsOf(dataDir, `select count(*) as n from ${table}`);
  return Number(row?.["n"]); // PostgreSQL's driver returns it as text
}

/** Counts everything again in the database of a service, and returns the differences. */
export async function recountOf(dataDir: string): Promise<string[]> {
  const url = databaseOf(dataDir);
  if (url !== undefined) return withPostgresql(url, recountPostgresql);
  using database = await openCopy(dataDir);
  return recount(database);
}

/** The same for sessions; see recountSessions. */
export async function recountSessionsOf(dataDir: string): Promise<string[]> {
  const url = databaseOf(dataDir);
  if (url !== undefined) return withPostgresql(url, recountSessionsPostgresql);
  using database = await openCopy(dataDir);
  return recountSessions(database);
}
