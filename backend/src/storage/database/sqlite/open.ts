import { existsSync } from "node:fs";
import { join } from "node:path";
import { Migrator } from "@mikro-orm/migrations";
import { MikroORM, SqliteDriver } from "@mikro-orm/sql";
import { CompiledQuery, Kysely } from "kysely";
import { type Announcements, type Entity, type MigrationClass, StartRefusal } from "@faultline/plugin";
import type { OpenDatabase } from "../open-database.ts";
import { SqliteDialect } from "./dialect.ts";

/** "FLTN", in the file's header, so that a foreign database is never touched. */
const applicationId = 0x464c544e;

/**
 * Grows when older releases can no longer use the file. A file with a larger number is refused. The migration that
 * causes this sets `user_version` too: its changes and the number must be written together or not at all.
 */
const schemaMajor = 2;

/** The database file in a data directory. */
export function databaseFile(dataDir: string): string {
  return join(dataDir, "faultline.db");
}

/** Announcements that do nothing: one process has the file, so there are no others to notify or to hear. */
const nobodyElse: Announcements = { announce: () => undefined, subscribe: () => undefined, onMissed: () => undefined };

/** Opens the SQLite file, checks that it is ours, and migrates it. */
export async function openSqlite(
  dataDir: string,
  entities: readonly Entity[],
  migrations: readonly MigrationClass[],
): Promise<OpenDatabase> {
  const file = databaseFile(dataDir);
  await using opened = new AsyncDisposableStack();
  try {
    if (existsSync(`${file}-journal`)) await takeBack(file);
    const isEmpty = !existsSync(file) || (await checkOrigin(file));
    const writer = new SqliteDialect({ file, access: "write", connections: 1 });
    const orm = await MikroORM.init({
      driver: SqliteDriver,
      dbName: file,
      entities: [...entities],
      extensions: [Migrator],
      driverOptions: () => writer,
      replicas: [{ driverOptions: () => new SqliteDialect({ file, access: "read", connections: 2 }) }],
      preferReadReplicas: true, // a page must not wait for the batch that is being written
      migrations: { migrationsList: [...migrations], snapshot: false, silent: true },
      logger: () => undefined, // failures are logged where they are handled
    });
    opened.defer(() => orm.close());
    await orm.em.getConnection("write").connect();
    const write = orm.em.getKysely({ type: "write" }) as unknown as Kysely<unknown>;
    if (isEmpty) await markAsOurs(write);
    await orm.migrator.up().catch((error: unknown) => {
      throw knownRefusal(file, error) ?? migrationRefusal(file, error);
    });
    await makeMark(write);
    await orm.em.getConnection("read").connect(); // after the file exists
    // Separate, because an interrupted statement may first finish a sort that takes seconds, and nobody else should
    // wait for that.
    const expensive = new Kysely<unknown>({ dialect: new SqliteDialect({ file, access: "read", connections: 2 }) });
    const ofEvents = new Kysely<unknown>({ dialect: writer.ahead });
    opened.move();
    return {
      kind: "sqlite",
      announcements: nobodyElse,
      orm,
      write: <Tables>() => orm.em.getKysely({ type: "write" }) as unknown as Kysely<Tables>,
      writeEvents: <Tables>() => ofEvents as unknown as Kysely<Tables>,
      read: <Tables>() => orm.em.getKysely({ type: "read" }) as unknown as Kysely<Tables>,
      readExpensively: <Tables>() => expensive as unknown as Kysely<Tables>,
      alone: (_name, work) => work(), // the data directory belongs to one process
      otherProcesses: () => Promise.resolve(0),
      async close() {
        await expensive.destroy();
        await orm.close();
      },
      canWrite: () =>
        write.executeQuery(CompiledQuery.raw(`pragma user_version = ${schemaMajor}`)).then(
          () => true,
          () => false, // the events that could not be stored report the cause
        ),
    };
  } catch (error) {
    if (error instanceof StartRefusal) throw error;
    throw (
      knownRefusal(file, error) ?? new StartRefusal(`The database ${file} cannot be opened: ${String(error)}`, error)
    );
  }
}

/**
 * Refuses a database that is not ours or has a newer major version. Returns whether it has no table yet. It reads only,
 * because the writer would change the file by opening it: the journal mode is in its header, and its last close empties
 * the log.
 */
async function checkOrigin(file: string): Promise<boolean> {
  const database = new Kysely<unknown>({ dialect: new SqliteDialect({ file, access: "read", connections: 1 }) });
  try {
    const read = async (pragma: string) => {
      const { rows } = await database.executeQuery<Record<string, number>>(CompiledQuery.raw(`pragma ${pragma}`));
      return Number(Object.values(rows[0] ?? {})[0]);
    };
    const found = await read("application_id");
    const { rows: tables } = await database.executeQuery(CompiledQuery.raw("select 1 from sqlite_schema limit 1"));
    if (found === 0 && tables.length === 0) return true;
    if (found !== applicationId) {
      throw new StartRefusal(
        `The file ${file} is a database of another program. Move it away, or choose another directory with FAULTLINE_DATA_DIR.`,
      );
    }
    if ((await read("user_version")) > schemaMajor) {
      throw new StartRefusal(
        `The database ${file} was written by a newer release of Faultline. Start that release, or restore a backup made before the upgrade.`,
      );
    }
    return false;
  } finally {
    await database.destroy();
  }
}

/**
 * Rolls back a write of a first start that was cut off before the file had its log. Until then SQLite admits no reader
 * (SQLITE_READONLY_ROLLBACK), and a reader checks the origin first.
 */
async function takeBack(file: string): Promise<void> {
  const database = new Kysely<unknown>({ dialect: new SqliteDialect({ file, access: "mend", connections: 1 }) });
  try {
    await database.executeQuery(CompiledQuery.raw("select 1 from sqlite_schema limit 1"));
  } finally {
    await database.destroy();
  }
}

async function markAsOurs(database: Kysely<unknown>): Promise<void> {
  const pragmas = [
    // auto_vacuum lets retention return space; it can only be chosen before the first table.
    "pragma auto_vacuum = incremental",
    "vacuum",
    `pragma user_version = ${schemaMajor}`,
    `pragma application_id = ${applicationId}`, // last: a file without it and without tables is initialized again
  ];
  for (const pragma of pragmas) await database.executeQuery(CompiledQuery.raw(pragma));
}

/**
 * The table that notes the key file, as on PostgreSQL. It is not a migration, because the previous release counts
 * migrations.
 */
async function makeMark(database: Kysely<unknown>): Promise<void> {
  const statements = [
    "create table if not exists faultline (id integer primary key check (id = 1), keys_digest text) strict",
    "insert into faultline (id) values (1) on conflict do nothing",
  ];
  for (const statement of statements) await database.executeQuery(CompiledQuery.raw(statement));
}

/** The refusal for a database that fails, with advice for the operator; undefined for unknown causes. */
function knownRefusal(file: string, error: unknown): StartRefusal | undefined {
  const text = `${String(error)} ${String((error as { cause?: unknown }).cause ?? "")}`;
  if (/SQLITE_NOTADB|SQLITE_CORRUPT|not a database|malformed/.test(text)) {
    return new StartRefusal(
      `The database ${file} is damaged or not a database. Put a backup in its place, or move it away to start empty.`,
      error,
    );
  }
  if (/SQLITE_READONLY|SQLITE_CANTOPEN|SQLITE_PERM|EACCES/.test(text)) {
    return new StartRefusal(`The database ${file} cannot be written. Give this user write access.`, error);
  }
  if (/SQLITE_FULL|ENOSPC/.test(text)) {
    return new StartRefusal(`The disk that holds ${file} is full. Free some space and start again.`, error);
  }
  if (/SQLITE_IOERR/.test(text)) {
    // SQLite reports a full disk in this way too, if there is no room for the index of the log.
    return new StartRefusal(
      `The disk that holds ${file} cannot be read or written: it is full or failing. Free some space or repair the disk, and start again.`,
      error,
    );
  }
  if (/SQLITE_BUSY|database is locked/.test(text)) {
    return new StartRefusal(`Another program is using the database ${file}. Close it and start again.`, error);
  }
  return undefined;
}

function migrationRefusal(file: string, error: unknown): StartRefusal {
  const reason = String(error).split("\n").at(-1);
  return new StartRefusal(
    `The database ${file} could not be migrated to the schema of this release and is unchanged. Start the previous release, and report this: ${reason}.`,
    error,
  );
}
