import { StartRefusal } from "@faultline/plugin";
import { sql, type Kysely } from "kysely";

/** Grows when older releases can no longer use the database. A database with a larger number is refused. */
const schemaMajor = 1;

interface Row {
  readonly schema_major: number;
  readonly keys_digest: string | null;
}

/**
 * The single row of the table `faultline`. It marks the database as ours, and notes its releases and the digest of its
 * key file.
 */
export class Mark {
  readonly #kysely: Kysely<unknown>;
  readonly #name: string;

  /** `name` names the database in messages. */
  constructor(kysely: Kysely<unknown>, name: string) {
    this.#kysely = kysely;
    this.#name = name;
  }

  /** Refuses a database that is not ours, belongs to a newer release, or cannot hold every text. Only reads. */
  async check(): Promise<void> {
    const { rows: encodings } = await sql<{ server_encoding: string }>`show server_encoding`.execute(this.#kysely);
    const encoding = encodings[0]?.server_encoding;
    if (encoding !== "UTF8") {
      throw new StartRefusal(
        `The PostgreSQL database ${this.#name} is encoded in ${encoding}. Create one in UTF8 with create database ... encoding 'UTF8' template template0.`,
      );
    }
    const row = await this.#read();
    if (row && row.schema_major > schemaMajor) {
      throw new StartRefusal(
        `The PostgreSQL database ${this.#name} was written by a newer release of Faultline. Start that release, or restore a backup made before the upgrade.`,
      );
    }
    if (!row && (await this.holdsTables())) {
      throw new StartRefusal(
        `The PostgreSQL database ${this.#name} contains tables of another program. Create an empty database for Faultline, and name it in FAULTLINE_DATABASE_URL.`,
      );
    }
  }

  /** Marks the database as ours. It is the first write, so that the next start continues a start that ended early. */
  async make(): Promise<void> {
    await sql`create table if not exists faultline (
      id integer primary key check (id = 1),
      schema_major integer not null,
      keys_digest text
    )`.execute(this.#kysely);
    await sql`insert into faultline (id, schema_major) values (1, ${schemaMajor}) on conflict do nothing`.execute(
      this.#kysely,
    );
  }

  /** Writes the present values again; fails if nothing can be written. */
  async touch(): Promise<void> {
    await sql`update faultline set schema_major = schema_major`.execute(this.#kysely);
  }

  async #read(): Promise<Row | undefined> {
    const { rows: tables } = await sql`select 1 where to_regclass('faultline') is not null`.execute(this.#kysely);
    if (tables.length === 0) return undefined;
    const { rows } = await sql<Row>`select schema_major, keys_digest from faultline`.execute(this.#kysely);
    return rows[0];
  }

  /** Whether any table exists, except tables of extensions and our empty mark. */
  async holdsTables(): Promise<boolean> {
    const { rows } = await sql`
      select 1 from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
      where c.relkind in ('r', 'p', 'v', 'm', 'f') and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
        and c.relname <> 'faultline'
        and not exists (select 1 from pg_catalog.pg_depend d where d.objid = c.oid and d.deptype = 'e')
      limit 1`.execute(this.#kysely);
    return rows.length > 0;
  }
}

/**
 * The move into this database, from its table `faultline_move`. A database without the table was not filled by a move.
 */
export interface MoveMark {
  /** When services were allowed to start on it, in milliseconds since 1970; null until the move is finished. */
  readonly cutOverAt: number | null;
}

/** The move into this database; undefined if there was no move. */
export async function readMoveMark(database: Kysely<unknown>): Promise<MoveMark | undefined> {
  const { rows: tables } = await sql`select 1 where to_regclass('faultline_move') is not null`.execute(database);
  if (tables.length === 0) return undefined;
  const { rows } = await sql<MoveMark>`select cut_over_at as "cutOverAt" from faultline_move`.execute(database);
  return rows[0] ?? { cutOverAt: null };
}

/** Notes that a move is filling the database. No service starts on it from now on. */
export async function noteMove(database: Kysely<unknown>): Promise<void> {
  await sql`create table if not exists faultline_move (id integer primary key check (id = 1), cut_over_at bigint)`.execute(
    database,
  );
  await sql`insert into faultline_move (id) values (1) on conflict do nothing`.execute(database);
}

/** Notes that the move is complete: services may start, and no move writes to the database any more. */
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
