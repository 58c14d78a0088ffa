import type { Entity, Log, Plugin } from "@faultline/plugin";
import type { Config } from "../config.ts";
import { AgeClock, type MachineTime } from "../host/age-clock.ts";
import type { Stops } from "../host/stops.ts";
import { coreMigrations, inOrder } from "../storage/database/core-migrations.ts";
import { claimDataDirectory, warnOfOpenKeyFile } from "../storage/database/data-directory.ts";
import { DiskSpace } from "../storage/database/disk-space.ts";
import { openDatabase } from "../storage/database/open.ts";
import { encryptedColumns } from "../storage/secrets/encrypted-columns.ts";

export type Storage = Awaited<ReturnType<typeof openStorage>>;

/**
 * The phase that locks the data directory, opens and migrates the database, and reads the time by which ages are
 * counted.
 */
export async function openStorage(
  { dataDir, databaseUrl }: Config,
  parts: {
    /** The entities of the core. */
    entities: readonly Entity[];
    plugins: readonly Plugin[];
    time: MachineTime;
    log: Log;
    stops: Stops;
  },
) {
  const { entities, plugins, time, log, stops } = parts;
  const directory = await claimDataDirectory(dataDir);
  stops.add("the lock of the data directory", () => directory.release());
  const { database, keyRing } = await openDatabase({
    dataDir,
    databaseUrl,
    entities: [...entities, ...plugins.flatMap((plugin) => plugin.entities ?? [])],
    migrations: inOrder([coreMigrations, ...plugins.flatMap(({ migrations }) => migrations ?? [])]),
    columns: encryptedColumns(plugins),
  });
  stops.add("the database", () => database.close());
  warnOfOpenKeyFile(dataDir, log);
  const ages = await AgeClock.open({ database, time, log });
  stops.save("saving the time", log, () => ages.save());
  const disk = new DiskSpace(dataDir, log);
  // PostgreSQL manages its own disk. A disk that is never measured counts as endless.
  const isOnDisk = database.kind === "sqlite";
  if (isOnDisk) await disk.ask();
  return { database, orm: database.orm, keyRing, ages, disk, isOnDisk };
}
