import { StartRefusal } from "@faultline/plugin";
import { sql, type Kysely } from "kysely";

/** The move into this database, from its table `faultline_move`; no move filled a database without that table. */
export interface MoveMark {
  /** When services were allowed to start on it, milliseconds since 1970; null: the move is not finished. */
  readonly cutOverAt: number | null;
}

/** The move into this database; undefined when there was none. */
export async function readMoveMark(database: Kysely<unknown>): Promise<MoveMark | undefined> {
  const { rows: tables } = await sql`select 1 where to_regclass('faultline_move') is not null`.execute(database);
  if (tables.length === 0) return undefined;
  const { rows } = await sql<MoveMark>`select cut_over_at as "cutOverAt" from faultline_move`.execute(database);
  return rows[0] ?? { cutOverAt: null };
}

/** Notes that a move is filling the database: from now on no service starts on it. */
export async function noteMove(database: Kysely<unknown>): Promise<void> {
  await sql`create table if not exists faultline_move (id integer primary key check (id = 1), cut_over_at bigint)`.execute(
    database,
  );
  await sql`insert into faultline_move (id) values (1) on conflict do nothing`.execute(database);
}

/** Notes that all was moved: services may start, and no move writes to the database any more. */
export async function noteCutOver(database: Kysely<unknown>, now: number): Promise<void> {
  await sql`update faultline_move set cut_over_at = ${now}`.execute(database);
}

/**
 * Refuses the start of a service on a database that is still being filled: the next run of the move replaces its
 * content.
 */
export async function refuseWhileMoved(database: Kysely<unknown>): Promise<void> {
  const mark = await readMoveMark(database);
  if (!mark || mark.cutOverAt !== null) return;
  throw new StartRefusal(
    "The PostgreSQL database is being filled from SQLite and is not complete yet. Stop the service on SQLite, run faultline move --final, and then start this service.",
  );
}
