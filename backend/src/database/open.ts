import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Database, Entity, MigrationClass } from "@faultline/plugin";
import { Migrator } from "@mikro-orm/migrations";
import { MikroORM, SqliteDriver } from "@mikro-orm/sql";
import { CompiledQuery, type Kysely } from "kysely";
import { StartRefusal } from "@faultline/plugin";
import { SqliteDialect } from "./sqlite-dialect.ts";

/** "FLTN": written into the file's header, so that a foreign database is never touched. */
const applicationId = 0x464c544e;

/** Grows when an older release could no longer work on the file; a larger one found there is refused. */
const schemaMajor = 1;

/** The database of the core, and of the plugins in part. */
export type OpenDatabase = Database & {
  readonly orm: MikroORM;
  /** Tries a small write, as readiness must not wait for the next event to find out that the disk works again. */
  canWrite(): Promise<boolean>;
};

/** The database file in a data directory. */
export function databaseFile(dataDir: string): string {
  return join(dataDir, "faultline.db");
}

/** Opens the SQLite file, checks that it is ours, and migrates it. */
export async function openDatabase(
  dataDir: string,
  entities: readonly Entity[],
  migrations: readonly MigrationClass[],
): Promise<OpenDatabase> {
  const file = databaseFile(dataDir);
  const isNew = !existsSync(file);
  try {
    const orm = await MikroORM.init({
      driver: SqliteDriver,
      dbName: file,
      entities: [...entities],
      extensions: [Migrator],
      driverOptions: () => new SqliteDialect({ file, access: "write", connections: 1 }),
      replicas: [{ driverOptions: () => new SqliteDialect({ file, access: "read", connections: 2 }) }],
      preferReadReplicas: true, // a page must not wait for the batch that is being written
      migrations: { migrationsList: [...migrations], snapshot: false, silent: true },
      logger: () => undefined, // what fails is logged where it is handled
    });
    const writer = orm.em.getConnection("write");
    await writer.connect();
    const write = orm.em.getKysely({ type: "write" }) as unknown as Kysely<unknown>;
    await checkOrigin(write, file, isNew);
    await orm.migrator.up();
    await orm.em.getConnection("read").connect(); // after the file surely exists
    return {
      orm,
      write: <Tables>() => orm.em.getKysely({ type: "write" }) as unknown as Kysely<Tables>,
      read: <Tables>() => orm.em.getKysely({ type: "read" }) as unknown as Kysely<Tables>,
      canWrite: () =>
        write.executeQuery(CompiledQuery.raw(`pragma user_version = ${schemaMajor}`)).then(
          () => true,
          () => false, // why is known from the events that could not be stored
        ),
    };
  } catch (error) {
    if (error instanceof StartRefusal) throw error;
    throw openRefusal(file, error);
  }
}

async function checkOrigin(database: Kysely<unknown>, file: string, isNew: boolean): Promise<void> {
  const read = async (pragma: string) => {
    const { rows } = await database.executeQuery<Record<string, number>>(CompiledQuery.raw(`pragma ${pragma}`));
    return Number(Object.values(rows[0] ?? {})[0]);
  };
  const found = await read("application_id");
  const { rows: tables } = await database.executeQuery(CompiledQuery.raw("select 1 from sqlite_schema limit 1"));
  if (isNew || (found === 0 && tables.length === 0)) {
    // auto_vacuum lets retention give space back; it can only be chosen before the first table.
    await database.executeQuery(CompiledQuery.raw("pragma auto_vacuum = incremental"));
    await database.executeQuery(CompiledQuery.raw("vacuum"));
    await database.executeQuery(CompiledQuery.raw(`pragma application_id = ${applicationId}`));
    await database.executeQuery(CompiledQuery.raw(`pragma user_version = ${schemaMajor}`));
    return;
  }
  if (found !== applicationId) {
    throw new StartRefusal(
      `The file ${file} is a database of another program: move it away, or choose another directory with FAULTLINE_DATA_DIR.`,
    );
  }
  if ((await read("user_version")) > schemaMajor) {
    throw new StartRefusal(
      `The database ${file} was written by a newer release of Faultline: start that release, or restore a backup made before the upgrade.`,
    );
  }
}

function openRefusal(file: string, error: unknown): StartRefusal {
  const text = `${String(error)} ${String((error as { cause?: unknown }).cause ?? "")}`;
  if (/SQLITE_NOTADB|SQLITE_CORRUPT|not a database|malformed/.test(text)) {
    return new StartRefusal(
      `The database ${file} is damaged or not a database: put a backup in its place, or move it away to start empty.`,
      error,
    );
  }
  if (/SQLITE_READONLY|SQLITE_CANTOPEN|SQLITE_PERM|EACCES/.test(text)) {
    return new StartRefusal(`The database ${file} cannot be written: give this user the right to write there.`, error);
  }
  if (/SQLITE_FULL|ENOSPC/.test(text)) {
    return new StartRefusal(`The disk that holds ${file} is full: free some space and start again.`, error);
  }
  if (/SQLITE_BUSY|database is locked/.test(text)) {
    return new StartRefusal(`Another program holds the database ${file}: close it and start again.`, error);
  }
  return new StartRefusal(`The database ${file} cannot be opened: ${String(error)}`, error);
}
