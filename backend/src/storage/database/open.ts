import type { OpenDatabase } from "./open-database.ts";
import { existsSync } from "node:fs";
import { StartRefusal, type Entity, type Migrations } from "@faultline/plugin";
import { KeyRing } from "../secrets/key-ring.ts";
import { refuseWhileMoved } from "./postgresql/move-mark.ts";
import { refuseMovedAway } from "./sqlite/moved-away.ts";
import { databaseFile, openSqlite } from "./sqlite/open.ts";

/** Which database to open, and its migrations. */
export interface DatabaseOptions {
  readonly dataDir: string;
  /** The address of PostgreSQL. Absent: the SQLite file in the data directory. */
  readonly databaseUrl: string | undefined;
  readonly entities: readonly Entity[];
  readonly migrations: Migrations;
}

/**
 * Opens the database, checks that it is ours, and migrates it. Also opens the key file that belongs to it, which is
 * created with the database.
 */
export async function openDatabase(options: DatabaseOptions): Promise<{ database: OpenDatabase; keyRing: KeyRing }> {
  const { dataDir, databaseUrl, entities, migrations } = options;
  if (databaseUrl === undefined) {
    refuseMovedAway(dataDir);
    const keyRing = KeyRing.open(dataDir, !existsSync(databaseFile(dataDir)));
    return { keyRing, database: await openSqlite(dataDir, entities, migrations.sqlite) };
  }
  const { openPostgresql } = await import("./postgresql/open.ts"); // its packages take memory that SQLite does not need
  const database = await openPostgresql(databaseUrl, entities, migrations.postgresql);
  try {
    await refuseWhileMoved(database.read());
    const keyRing = KeyRing.open(dataDir, !(await database.mark.hasKeys()));
    if (!(await database.mark.isSealedWith(keyRing.digest("key file", "")))) {
      throw new StartRefusal(
        `The key file ${dataDir}/secrets.json is not the one that the PostgreSQL database was made with, and without that one the stored tokens and client keys cannot be read. Put that one there; all processes on one database need the same.`,
      );
    }
    return { database, keyRing };
  } catch (error) {
    await database.close();
    throw error;
  }
}
