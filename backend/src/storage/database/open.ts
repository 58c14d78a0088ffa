import { existsSync } from "node:fs";
import { StartRefusal, type Database, type Entity, type Log, type Migrations } from "@faultline/plugin";
import type { MikroORM } from "@mikro-orm/sql";
import { KeyRing } from "../secrets/key-ring.ts";
import { refuseWhileMoved } from "./postgresql/move-mark.ts";
import { refuseMovedAway } from "./sqlite/moved-away.ts";
import { databaseFile, openSqlite } from "./sqlite/open.ts";

/** The database of the core, and of the plugins in part. */
export type OpenDatabase = Database & {
  readonly orm: MikroORM;
  /** Tries a small write, as readiness must not wait for the next event to find out that the disk works again. */
  canWrite(): Promise<boolean>;
  /** Does work that is for the whole installation, unless another process is at it. */
  alone(name: string, work: () => Promise<void>): Promise<void>;
  /** How many other processes have it open now. */
  otherProcesses(): Promise<number>;
  /** Says what lets it lose what it stored; absent on SQLite, where nobody else sets that. */
  warnOfLosses?(log: Log): Promise<void>;
  /** Of its pool; absent on SQLite, which has none. */
  connections?(): PoolUse;
  close(): Promise<void>;
};

/** How a pool of connections is used now. */
export interface PoolUse {
  /** Connections that are lent. */
  readonly used: number;
  /** Who waits for one. */
  readonly waiting: number;
}

/** Which database, and what it holds. */
export interface DatabaseOptions {
  readonly dataDir: string;
  /** Of PostgreSQL. Absent: the SQLite file in the data directory. */
  readonly databaseUrl: string | undefined;
  readonly entities: readonly Entity[];
  readonly migrations: Migrations;
}

/**
 * Opens the database, checks that it is ours, and migrates it; and opens the key file that it was sealed with, which is
 * made with the database.
 */
export async function openDatabase(options: DatabaseOptions): Promise<{ database: OpenDatabase; keyRing: KeyRing }> {
  const { dataDir, databaseUrl, entities, migrations } = options;
  if (databaseUrl === undefined) {
    refuseMovedAway(dataDir);
    const keyRing = KeyRing.open(dataDir, !existsSync(databaseFile(dataDir)));
    return { keyRing, database: await openSqlite(dataDir, entities, migrations.sqlite) };
  }
  const { openPostgresql } = await import("./postgresql/open.ts"); // its packages take memory, which SQLite needs not
  const database = await openPostgresql(databaseUrl, entities, migrations.postgresql);
  try {
    await refuseWhileMoved(database.read());
    const keyRing = KeyRing.open(dataDir, !(await database.mark.hasKeys()));
    if (!(await database.mark.isSealedWith(keyRing.digest("key file", "")))) {
      throw new StartRefusal(
        `The key file ${dataDir}/secrets.json is not the one that the PostgreSQL database was made with, and without that one the stored tokens and client keys cannot be read: put it there; all processes on one database need the same.`,
      );
    }
    return { database, keyRing };
  } catch (error) {
    await database.close();
    throw error;
  }
}
