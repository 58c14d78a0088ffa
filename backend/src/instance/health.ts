import { statSync } from "node:fs";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestamp, type Clock, type ErrorBackend } from "@faultline/plugin";
import type { HealthSchema } from "@faultline/proto";
import { sql } from "kysely";
import { ProjectEntity, UserEntity } from "../database/entities.ts";
import type { OpenDatabase } from "../database/open.ts";
import { databaseFile } from "../database/sqlite/open.ts";
import type { Outcomes } from "../outcomes/outcomes.ts";
import type { KeyRing } from "../secrets/key-ring.ts";

const hours = 24;

/** What the installation's health is read from. */
export interface HealthSources {
  readonly database: OpenDatabase;
  readonly clock: Clock;
  readonly keyRing: KeyRing;
  readonly outcomes: Outcomes;
  readonly dataDir: string;
  readonly startedAt: number;
  readonly backends: readonly ErrorBackend[];
  readonly isReady: () => Promise<boolean>;
}

/** How the installation fares now. Reads only, so that it can be told while nothing can be written. */
export async function readHealth(sources: HealthSources): Promise<MessageInitShape<typeof HealthSchema>> {
  const { database, clock, keyRing, outcomes, dataDir, startedAt, backends, isReady } = sources;
  const em = database.orm.em.fork();
  const storing = backends.find((backend) => backend.installationStats);
  const stats = await storing?.installationStats?.({ now: clock.now() });
  return {
    startedTime: timestamp(startedAt),
    databaseBytes: BigInt(await databaseBytes(database, dataDir)),
    userCount: await em.count(UserEntity),
    projectCount: await em.count(ProjectEntity, { deletedAt: null }),
    eventsPerHour: [...(stats?.eventsPerHour ?? Array.from({ length: hours }, () => 0))],
    refusedPerHour: await outcomes.refusedPerHour(hours),
    ...(stats?.oldestDay !== undefined && { oldestEventTime: timestamp(stats.oldestDay) }),
    isReady: await isReady(),
    encryptionKeyCount: keyRing.keyCount,
    residentBytes: BigInt(process.memoryUsage.rss()),
  };
}

async function databaseBytes(database: OpenDatabase, dataDir: string): Promise<number> {
  if (database.kind === "sqlite") {
    const file = databaseFile(dataDir);
    return bytesOf(file) + bytesOf(`${file}-wal`);
  }
  const size = sql<{ bytes: number }>`select pg_database_size(current_database()) as bytes`;
  return (await size.execute(database.read())).rows[0]?.bytes ?? 0;
}

function bytesOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0; // SQLite may take the log away at any time
}
