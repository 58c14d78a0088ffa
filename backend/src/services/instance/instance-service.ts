import { statSync } from "node:fs";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { sql } from "kysely";
import { type Handlers, type Plugin, timestamp, type Backlog, type Clock, type ErrorBackend } from "@faultline/plugin";
import { type InstanceService, DatabaseKind, type HealthSchema, type QueueHealthSchema } from "@faultline/proto";
import type { Config } from "../../config.ts";
import type { CoreCall } from "../access/guard.ts";
import { chosenLetters, deadLetterToProto } from "../../host/ingest/dead-letters.ts";
import type { OwnErrorSettings } from "../own-errors/own-error-settings.ts";
import type { KeyRotation } from "../../storage/secrets/key-rotation.ts";
import { version } from "../../version.ts";
import { ingestLag } from "./ingest-lag.ts";
import { ProjectEntity } from "../tables/project.ts";
import { UserEntity } from "../tables/user.ts";
import type { OpenDatabase } from "../../storage/database/open-database.ts";
import { isStorageFailure } from "../../storage/database/storage-failure.ts";
import { databaseFile } from "../../storage/database/sqlite/open.ts";
import type { Outcomes } from "../outcomes/outcomes.ts";
import type { KeyRing } from "../../storage/secrets/key-ring.ts";

export function instanceService({
  config,
  plugins,
  baseUrl,
  reporting,
  keyRotation,
  health,
}: {
  config: Pick<Config, "offering" | "platformRelease">;
  plugins: readonly Plugin[];
  baseUrl: () => string;
  reporting: OwnErrorSettings;
  keyRotation: KeyRotation;
  health: HealthSources;
}): Handlers<typeof InstanceService, CoreCall> {
  const { backlog } = health;
  const deadLetters = backlog?.deadLetters;
  const ofNone = (withoutProject: boolean) => (withoutProject ? 0 : undefined);

  return {
    async getInstance() {
      const { offering, platformRelease } = config;
      const names = plugins.map(({ name }) => name);
      return { instance: { version, offering, platformRelease, baseUrl: baseUrl(), plugins: names } };
    },

    async getHealth() {
      return { health: await readHealth(health) };
    },

    async getOwnErrorReporting() {
      return { ownErrorReporting: await reporting.read() };
    },

    async updateOwnErrorReporting(request) {
      await reporting.update(request);
      return { ownErrorReporting: await reporting.read() };
    },

    async rotateEncryptionKey() {
      return { waitingCount: await keyRotation.begin() };
    },

    async getIngestLag() {
      const lag = ingestLag(backlog);
      return lag ? { ingestLag: lag } : {};
    },

    async listDeadLetters({ withoutProject }) {
      const chosen = chosenLetters([], ofNone(withoutProject));
      const letters = (await deadLetters?.list(chosen)) ?? [];
      return {
        deadLetters: letters.map(deadLetterToProto),
        totalCount: BigInt((await deadLetters?.count(chosen)) ?? 0),
      };
    },

    async replayDeadLetters({ deadLetterIds, withoutProject }) {
      const done = await deadLetters?.replay(chosenLetters(deadLetterIds, ofNone(withoutProject)));
      const { accepted = 0, failed = 0, left = 0 } = done ?? {};
      return { acceptedCount: accepted, failedCount: failed, leftCount: BigInt(left) };
    },

    async deleteDeadLetters({ deadLetterIds, withoutProject }) {
      const deleted = await deadLetters?.delete(chosenLetters(deadLetterIds, ofNone(withoutProject)));
      return { deletedCount: BigInt(deleted ?? 0) };
    },
  };
}

const hours = 24;

/** After this time the page is shown without the values of the database. */
const databaseMs = 5_000;

/** The sources of the installation's health. */
interface HealthSources {
  readonly database: OpenDatabase;
  readonly clock: Clock;
  readonly keyRing: KeyRing;
  readonly outcomes: Outcomes;
  readonly dataDir: string;
  readonly startedAt: number;
  readonly backends: readonly ErrorBackend[];
  readonly isReady: () => Promise<boolean>;
  /** Undefined if there is no queue. */
  readonly backlog: Backlog | undefined;
}

/**
 * Reads the current health of the installation. It only reads, so it works while writes fail. The values of a database
 * or queue that is down are missing.
 */
async function readHealth(sources: HealthSources): Promise<MessageInitShape<typeof HealthSchema>> {
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

/** Undefined if the database refuses or does not answer. */
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
