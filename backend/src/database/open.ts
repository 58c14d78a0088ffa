import type { Database, Entity, Migrations } from "@faultline/plugin";
import type { MikroORM } from "@mikro-orm/sql";
import { openSqlite } from "./sqlite/open.ts";

/** The database of the core, and of the plugins in part. */
export type OpenDatabase = Database & {
  readonly orm: MikroORM;
  /** Tries a small write, as readiness must not wait for the next event to find out that the disk works again. */
  canWrite(): Promise<boolean>;
};

/** Opens the database, checks that it is ours, and migrates it. */
export function openDatabase(
  dataDir: string,
  entities: readonly Entity[],
  migrations: Migrations,
): Promise<OpenDatabase> {
  return openSqlite(dataDir, entities, migrations.sqlite);
}
