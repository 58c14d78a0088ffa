import { statSync } from "node:fs";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestamp, type Backlog, type Clock, type ErrorBackend } from "@faultline/plugin";
import { DatabaseKind, type HealthSchema, type QueueHealthSchema } from "@faultline/proto";
import { sql } from "kysely";
import { ProjectEntity } from "../projects/project.ts";
import { UserEntity } from "../users/user.ts";
import type { OpenDatabase } from "../../storage/database/open-database.ts";
import { isStorageFailure } from "../../storage/database/storage-failure.ts";
import { databaseFile } from "../../storage/database/sqlite/open.ts";
import type { Outcomes } from "../outcomes/outcomes.ts";
import type { KeyRing } from "../../storage/secrets/key-ring.ts";
import { ingestLag } from "./ingest-lag.ts";

const hours = 24;

/** After this time the page is shown without the values of the database. */
const databaseMs = 5_000;

/** The sources of the installation's health. */
export interface HealthSources {
  readonly database: OpenDatabase;
  readonly clock: Clock;
  readonly keyRing: KeyRing;
  readonly outcomes: Outcomes;
  readonly dataDir: string;
  readonly startedAt: number;
  readonly backends: readonly ErrorBackend[];
  readonly isReady: () => Promise<boolean>;
  /** Absent: there is no queue. */
  readonly backlog: Backlog | undefined;
}

/**
 * Reads the health of the installation now. It only reads, so it works while writes fail; the values of a database or a
 * queue that is down are missing.
 */
export async function readHealth(sources: HealthSources): Promise<MessageInitShape<typeof HealthSchema>> {
  const { database, keyRing, startedAt, isReady, backlog } = sources;
  const none = Array.from({ length: hours }, () => 0);
  const stored = await fromDatabase(sources);
  return {
    startedTime: timestamp(startedAt),
    eventsPerHour: none,
    refusedPerHour: none,
    ...stored,
    databaseUnavailable: stored === undefined,
    databaseKind: database.kind === "sqlite" ? DatabaseKind.SQLITE : DatabaseKind.POSTGRESQL,
    isReady: await isReady(),
    encryptionKeyCount: keyRing.keyCount,
    residentBytes: BigInt(process.memoryUsage.rss()),
    ...(backlog && { queue: queueHealth(backlog) }),
  };
}

type Stored = Pick<
  MessageInitShape<typeof HealthSchema>,
  | "databaseBytes"
  | "userCount"
  | "projectCount"
  | "eventsPerHour"
  | "refusedPerHour"
  | "refusedProjects"
  | "oldestEventTime"
>;

/** Undefined when the database as a whole refuses or does not answer. */
async function fromDatabase(sources: HealthSources): Promise<Stored | undefined> {
  const { promise: silence, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => resolve(undefined), databaseMs);
  try {
    return await Promise.race([readStored(sources), silence]);
  } catch (error) {
    if (isStorageFailure(error)) return undefined;
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

async function readStored({ database, clock, outcomes, dataDir, backends }: HealthSources): Promise<Stored> {
  const em = database.orm.em.fork();
  const storing = backends.find((backend) => backend.installationStats);
  const stats = await storing?.installationStats?.({ now: clock.now() });
  return {
    databaseBytes: BigInt(await databaseBytes(database, dataDir)),
    userCount: await em.count(UserEntity),
    projectCount: await em.count(ProjectEntity, { deletedAt: null }),
    refusedPerHour: await outcomes.refusedPerHour(hours),
    refusedProjects: (await outcomes.refusedProjects(hours)).map(({ quantity, ...refused }) => ({
      ...refused,
      quantity: BigInt(quantity),
    })),
    ...(stats && { eventsPerHour: [...stats.eventsPerHour] }),
    ...(stats?.oldestDay !== undefined && { oldestEventTime: timestamp(stats.oldestDay) }),
  };
}

function queueHealth(backlog: Backlog): MessageInitShape<typeof QueueHealthSchema> {
  const lag = ingestLag(backlog);
  const { kept } = backlog.deadLetters;
  return {
    connected: backlog.isConnected(),
    waitingMessageCount: BigInt(backlog.lag()?.pending ?? 0),
    ...(lag && { lag }),
    ...(kept !== undefined && { deadLetterCount: BigInt(kept) }),
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
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0; // SQLite may remove the log at any time
}
