import type { OpenDatabase } from "./open-database.ts";
import { existsSync } from "node:fs";
import { StartRefusal, type Entity, type Migrations } from "@faultline/plugin";
import { sql } from "kysely";
import type { EncryptedColumn } from "../secrets/encrypted-columns.ts";
import { isMadeWith, keysDigestOf } from "../secrets/key-check.ts";
import { keyFile, KeyRing } from "../secrets/key-ring.ts";
import { noteKeysDigest, readKeysDigest } from "./keys-digest.ts";
import { refuseWhileMoved } from "./postgresql/mark.ts";
import { refuseMovedAway } from "./sqlite/moved-away.ts";
import { databaseFile, openSqlite } from "./sqlite/open.ts";

/** Which database to open, and its migrations. */
export interface DatabaseOptions {
  readonly dataDir: string;
  /** The address of PostgreSQL; undefined for the SQLite file in the data directory. */
  readonly databaseUrl: string | undefined;
  readonly entities: readonly Entity[];
  readonly migrations: Migrations;
  /** The columns with values that the key file must decrypt. */
  readonly columns: readonly EncryptedColumn[];
}

/**
 * Opens the database, checks that it is ours, and migrates it. Also opens its key file, which is created with the
 * database.
 */
export async function openDatabase(options: DatabaseOptions): Promise<{ database: OpenDatabase; keyRing: KeyRing }> {
  const { dataDir, databaseUrl, entities, migrations } = options;
  if (databaseUrl === undefined) {
    refuseMovedAway(dataDir);
    const keyRing = KeyRing.open(dataDir, !existsSync(databaseFile(dataDir)));
    const database = await openSqlite(dataDir, entities, migrations.sqlite);
    return closingOnFailure(database, () => withItsKeys(database, keyRing, options));
  }
  const { openPostgresql } = await import("./postgresql/open.ts"); // its packages take memory that SQLite does not need
  const database = await openPostgresql(databaseUrl, entities, migrations.postgresql);
  return closingOnFailure(database, async () => {
    await refuseWhileMoved(database.read());
    const keyRing = KeyRing.open(dataDir, (await readKeysDigest(database.read())) === undefined);
    return withItsKeys(database, keyRing, options);
  });
}

async function closingOnFailure<T>(database: OpenDatabase, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Refuses a key file of another database: every token and client key would be unknown. */
async function withItsKeys(database: OpenDatabase, keyRing: KeyRing, { dataDir, columns }: DatabaseOptions) {
  const kysely = database.write();
  const rows = async (text: string) => (await sql<Record<string, unknown>>`${sql.raw(text)}`.execute(kysely)).rows;
  const keysDigest = await readKeysDigest(kysely);
  if (
    (await isMadeWith(keyRing, rows, { keysDigest, columns })) &&
    (await noteKeysDigest(kysely, keysDigestOf(keyRing)))
  ) {
    return { database, keyRing };
  }
  const [name, advice] =
    database.kind === "sqlite"
      ? [`the database ${databaseFile(dataDir)}`, "Restore the right key file from a backup."]
      : ["the PostgreSQL database", "Copy the right key file there; all processes on one database need the same file."];
  throw new StartRefusal(
    `The key file ${keyFile(dataDir)} does not belong to ${name}, so the stored tokens and client keys cannot be read. ${advice}`,
  );
}
