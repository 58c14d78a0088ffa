import { existsSync } from "node:fs";
import { StartRefusal, type Migrations } from "@faultline/plugin";
import { Kysely, sql } from "kysely";
import { claimDataDirectory } from "../database/data-directory.ts";
import { SqliteDialect } from "../database/sqlite/dialect.ts";
import { databaseFile } from "../database/sqlite/open.ts";
import type { EncryptedColumn } from "../secrets/encrypted-columns.ts";
import { isFileMadeWith } from "../secrets/key-check.ts";
import { keyFile, KeyRing } from "../secrets/key-ring.ts";

/** Opens the SQLite file of a data directory beside a service that may run on it; refuses one of another release. */
export async function openSource(dataDir: string, migrations: Migrations): Promise<Kysely<unknown>> {
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
 * Locks the data directory, so that no service runs on it until it is released. A service locks it from before it opens
 * the database until after it has closed it: everything it acknowledged is in the file then.
 */
export async function holdSource(dataDir: string): Promise<{ release(): Promise<void> }> {
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

/** Opens the key file; refuses one that the database was not made with, as PostgreSQL would be made with that file. */
export async function openKeys(
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
