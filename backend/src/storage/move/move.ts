import { hash } from "node:crypto";
import { existsSync } from "node:fs";
import {
  StartRefusal,
  type CopiedTable,
  type Entity,
  type Move,
  type MovedTable,
  type Plugin,
  type RowChecksum,
  type Migrations,
} from "@faultline/plugin";
import { sql, Kysely, type RawBuilder } from "kysely";
import { coreMigrations, inOrder } from "../database/core-migrations.ts";
import { postgresqlName } from "../database/postgresql/failure.ts";
import { noteCutOver } from "../database/postgresql/mark.ts";
import { noteMovedAway } from "../database/sqlite/moved-away.ts";
import { encryptedColumns, type EncryptedColumn } from "../secrets/encrypted-columns.ts";
import { checkTables, columnsOf, type Column } from "./columns.ts";
import { copyTables, storableText } from "./copy-tables.ts";
import { openTarget } from "./target.ts";
import { claimDataDirectory } from "../database/data-directory.ts";
import { SqliteDialect } from "../database/sqlite/dialect.ts";
import { databaseFile } from "../database/sqlite/open.ts";
import { isFileMadeWith } from "../secrets/key-check.ts";
import { keyFile, KeyRing } from "../secrets/key-ring.ts";

export interface MoveOptions {
  readonly dataDir: string;
  /** The address of PostgreSQL, with the password. */
  readonly to: string;
  /** Whether this is the last run, without a service. Services start on PostgreSQL afterwards. */
  readonly isFinal: boolean;
  /** Whether all payloads are compared, or some of them. */
  readonly verify: "sample" | "all";
  readonly progress: (text: string) => void;
}

/** The report of one run of the move. */
export interface MoveReport {
  /** The database, without user and password. */
  readonly to: string;
  readonly seconds: number;
  readonly tables: readonly Omit<CopiedTable, "differences">[];
  /** Sentences about differences; empty if all rows equal the rows of SQLite when they were read. */
  readonly differences: readonly string[];
  /** When services were allowed to start on PostgreSQL, ISO 8601; undefined if they are not allowed yet. */
  readonly cutOverTime?: string;
}

/**
 * Copies an installation from SQLite to PostgreSQL and verifies the copy. It only reads the source, in small slices, so
 * that a service can run meanwhile. Each run brings the changes since the previous run. The last run is final: it locks
 * the data directory, so that nothing changes any more, and opens the target for services if everything is equal.
 */
export async function moveToPostgresql(
  options: MoveOptions,
  parts: { readonly coreEntities: readonly Entity[]; readonly plugins: readonly Plugin[] },
): Promise<MoveReport> {
  const { coreEntities, plugins } = parts;
  const { dataDir, to, isFinal, verify } = options;
  const from = performance.now();
  const entities = [...coreEntities, ...plugins.flatMap((plugin) => plugin.entities ?? [])];
  const migrations = inOrder([coreMigrations, ...plugins.flatMap((plugin) => plugin.migrations ?? [])]);
  const movables = plugins.flatMap(({ movable }) => movable ?? []);
  const ofPlugins = movables.flatMap(({ tables }) => tables);
  const atOneMoment = [...coreTables, ...ofPlugins.filter(({ refersToCore }) => refersToCore)];

  await using opened = new AsyncDisposableStack();
  const source = await openSource(dataDir, migrations);
  opened.defer(() => source.destroy());
  if (isFinal) {
    const held = await holdSource(dataDir);
    opened.defer(() => held.release());
  }
  const keyRing = await openKeys(source, { dataDir, columns: encryptedColumns(plugins) });
  const target = await openTarget(to, { entities, migrations, keyRing });
  opened.defer(() => target.close());
  const sides = { source, target: target.kysely };
  await checkTables(sides, {
    tables: [...coreTables, ...largeCoreTables, ...ofPlugins],
    otherTables: {
      sqlite: [...otherCoreTables, ...movables.flatMap(({ otherTables }) => otherTables.sqlite)],
      postgresql: [...otherCoreTables, ...movables.flatMap(({ otherTables }) => otherTables.postgresql)],
    },
  });

  const checksums = new Map<string, Promise<RowChecksum>>();
  const checksumOf = (table: string) => {
    const checksum = checksums.get(table) ?? rowChecksum(target.kysely, table);
    checksums.set(table, checksum);
    return checksum;
  };
  const progress = new MoveProgress(options.progress);
  const move: Move = {
    ...sides,
    verify,
    checksumOf,
    progress: (table, total) => progress.table(table, total),
  };
  const copied: CopiedTable[] = [];
  let isAlone = false;
  await target.database.alone("move", async () => {
    isAlone = true;
    copied.push(...(await source.transaction().execute((at) => copyTables({ ...move, source: at }, atOneMoment))));
    const eachAlone = async (tables: readonly MovedTable[]) => {
      for (const table of tables) copied.push(...(await copyTables(move, [table])));
    };
    await eachAlone(largeCoreTables);
    for (const { copy, tables } of movables) {
      copied.push(...((await copy?.(move)) ?? []));
      await eachAlone(tables.filter(({ refersToCore }) => !refersToCore));
    }
    await continueIdentities(source, target.kysely);
  });
  if (!isAlone) throw new StartRefusal("Another move to this database is running. Wait until it has ended.");

  const differences = copied.flatMap((table) => table.differences);
  const report: MoveReport = {
    to: postgresqlName(to),
    seconds: Math.round((performance.now() - from) / 100) / 10,
    tables: copied.map(({ table, rows, written, deleted, compared }) => {
      return { table, rows, written, deleted, ...(compared !== undefined && { compared }) };
    }),
    differences,
  };
  if (!isFinal || differences.length > 0) return report;
  await sql`analyze`.execute(target.kysely); // otherwise the first queries are planned for empty tables
  const now = Date.now();
  const cutOverTime = new Date(now).toISOString();
  // In this order, a cut between the two leaves no database to start on, and never two.
  noteMovedAway(dataDir, { movedTime: cutOverTime, to: report.to });
  await noteCutOver(target.kysely, now);
  return { ...report, cutOverTime };
}

/**
 * Lets PostgreSQL assign only ids above all ids that SQLite assigned, including ids of deleted rows, so that an old
 * link never leads to something new.
 */
async function continueIdentities(source: Kysely<unknown>, target: Kysely<unknown>): Promise<void> {
  const { rows: identities } = await sql<{ table: string; column: string }>`
    select table_name as table, column_name as column from information_schema.columns
    where table_schema = current_schema() and is_identity = 'YES'`.execute(target);
  const { rows: given } = await sql<{ name: string; seq: number }>`select name, seq from sqlite_sequence`.execute(
    source,
  );
  const givenOut = new Map(given.map(({ name, seq }) => [name, seq]));
  for (const { table, column } of identities) {
    await sql`select setval(pg_get_serial_sequence(quote_ident(${table}), ${column}),
      greatest((select max(${sql.ref(column)}) from ${sql.table(table)}), ${givenOut.get(table) ?? 0}::bigint) + 1, false)
    `.execute(target);
  }
}

const intervalMs = 1_000;

/** Reports the progress of a move, at most once a second. */
class MoveProgress {
  readonly #report: (text: string) => void;
  #reportedAt = performance.now();

  constructor(report: (text: string) => void) {
    this.#report = report;
  }

  /** Begins a table with this many rows. Returns a function that takes the number of finished rows. */
  table(name: string, total: number): (rows: number) => void {
    let done = 0;
    return (rows) => {
      done += rows;
      const now = performance.now();
      if (now - this.#reportedAt < intervalMs) return;
      this.#reportedAt = now;
      const share = total === 0 ? 100 : Math.min(100, Math.floor((done / total) * 100));
      this.#report(`${name}: ${done.toLocaleString("en")} of ${total.toLocaleString("en")} rows, ${share} %`);
    };
  }
}

const absent = "\\N";

/** The checksum of the rows of a table of PostgreSQL. */
async function rowChecksum(target: Kysely<unknown>, table: string): Promise<RowChecksum> {
  const columns = await columnsOf(target, table);
  const text = sql.join(
    columns.map((column) => sql`coalesce(${asText(column)}, ${sql.lit(absent)})`),
    sql` || chr(10) || `,
  );
  return {
    ofRow: (row) =>
      hash("sha256", columns.map(({ name }) => valueAsText(row[name])).join("\n"), "buffer").readBigInt64BE(0),
    sql: sql`substring(sha256(convert_to(${text}, 'UTF8')) from 1 for 8)::bigint`,
  };
}

function asText({ name, type }: Column): RawBuilder<unknown> {
  const column = sql.ref(name);
  if (type === "bytea") return sql`encode(${column}, 'hex')`;
  return type === "boolean" ? sql`${column}::integer::text` : sql`${column}::text`; // SQLite has 0 and 1
}

function valueAsText(value: unknown): string {
  if (value === null || value === undefined) return absent;
  return Buffer.isBuffer(value) ? value.toString("hex") : storableText(String(value));
}

/**
 * The tables of the core, each after the tables it refers to. They are small and are read in one snapshot, so that no
 * row arrives without the row it refers to.
 */
const coreTables: readonly MovedTable[] = [
  { name: "user", key: ["id"] },
  { name: "identity", key: ["kind", "subject"] },
  { name: "session", key: ["id"] },
  { name: "access_token", key: ["id"] },
  { name: "password_reset", key: ["user_id"] },
  { name: "project", key: ["id"] },
  { name: "settings", key: ["id"] },
  { name: "inbound_filter", key: ["project_id"] },
  { name: "event_hour", key: ["project_id", "hour"] },
  { name: "client_key", key: ["id"] },
  { name: "member_role", key: ["id"] },
  { name: "member", key: ["project_id", "user_id"] },
  { name: "invitation", key: ["id"] },
  { name: "outcome", key: ["project_id", "hour", "kind", "category", "reason"] },
  { name: "client_key_traffic", key: ["key_id", "hour", "reason"] },
  { name: "client_key_network", key: ["key_id", "day", "network"] },
  { name: "quota", key: ["project_id"] },
  { name: "daily_intake", key: ["project_id", "day"] },
  { name: "eviction", key: ["project_id"] },
  { name: "own_error_reporting", key: ["id"] },
  { name: "settled_time", key: ["id"] },
  { name: "error_change", key: ["id"] },
];

/** Tables that are not copied: plugins subscribe again, and would treat each copied error as new. */
const otherCoreTables: readonly string[] = ["error_change_reader"];

/** Tables that refer to no other table and may be large: an unstored event holds its payload of up to a megabyte. */
const largeCoreTables: readonly MovedTable[] = [
  { name: "audit_event", key: ["id"] },
  { name: "unstored_event", key: ["id"], rowsAtOnce: 8 },
];

/** Opens the SQLite file of a data directory, even during a running service. Refuses a file of another release. */
async function openSource(dataDir: string, migrations: Migrations): Promise<Kysely<unknown>> {
  const file = databaseFile(dataDir);
  for (const path of [file, keyFile(dataDir)]) {
    if (!existsSync(path)) {
      throw new StartRefusal(`There is no ${path} to move. Name the data directory with FAULTLINE_DATA_DIR.`);
    }
  }
  const source = new Kysely<unknown>({ dialect: new SqliteDialect({ file, access: "read", connections: 1 }) });
  try {
    const { rows } = await sql<{ n: number }>`select count(*) as n from mikro_orm_migrations`.execute(source);
    if (rows[0]?.n === migrations.sqlite.length) return source;
    throw new StartRefusal(
      `The database ${file} is of another release. Start the service of this release on it once, then move it.`,
    );
  } catch (error) {
    await source.destroy();
    if (error instanceof StartRefusal) throw error;
    throw new StartRefusal(`The database ${file} cannot be read: ${String(error)}.`, error);
  }
}

/**
 * Locks the data directory, so that no service runs on it until it is released. A service holds the lock from before it
 * opens the database until after it has closed it, so everything that it acknowledged is in the file.
 */
async function holdSource(dataDir: string): Promise<{ release(): Promise<void> }> {
  try {
    return await claimDataDirectory(dataDir);
  } catch (error) {
    if (!(error instanceof StartRefusal) || (error.cause as { code?: string } | undefined)?.code !== "SQLITE_BUSY") {
      throw error;
    }
    throw new StartRefusal(
      `The service is running on ${dataDir}, and events that it accepts now would not be moved. Stop it, then run the final move.`,
      error,
    );
  }
}

/** Opens the key file. Refuses the file of another database, because the copy would then be bound to that file. */
async function openKeys(
  source: Kysely<unknown>,
  { dataDir, columns }: { dataDir: string; columns: readonly EncryptedColumn[] },
): Promise<KeyRing> {
  const keyRing = KeyRing.open(dataDir, false);
  const rows = async (text: string) => (await sql<Record<string, unknown>>`${sql.raw(text)}`.execute(source)).rows;
  if (await isFileMadeWith(keyRing, rows, columns)) return keyRing;
  throw new StartRefusal(
    `The key file ${keyFile(dataDir)} does not belong to the database ${databaseFile(dataDir)}. Restore the right key file from a backup, and run the move again.`,
  );
}
