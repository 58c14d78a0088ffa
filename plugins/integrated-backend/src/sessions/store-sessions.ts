import { hourMs, millisecondsOf, type Intake } from "@faultline/plugin";
import { SessionStatus, type SessionAggregate, type SessionUpdate } from "@faultline/proto";
import type { Kysely } from "kysely";
import { storableJson } from "../event/storable-json.ts";
import type { Storage } from "../storage.ts";
import type { Tables } from "../tables.ts";

/** Stores updates of sessions and counted sessions atomically. */
export async function storeSessions(
  storage: Storage,
  database: Kysely<Tables>,
  { sessions, aggregates, receipts }: Pick<Intake, "sessions" | "aggregates" | "receipts">,
): Promise<void> {
  const releases = new Set([...sessions, ...aggregates].map(releaseEntry));
  await storage.storeSessions(database, {
    count: sessions.length + aggregates.length,
    releases: `[${[...releases].join(",")}]`,
    updates: storableJson(sessions.map(updateEntry)),
    aggregates: storableJson(
      aggregates.map((one, n) => aggregateEntry(one, receipts?.[n])).filter(([total]) => total > 0),
    ),
  });
}

type Described = Pick<SessionUpdate, "projectId" | "release" | "environment" | "startedTime">;

function releaseEntry({ projectId, release, environment }: Described): string {
  return storableJson([projectId, release, environment]);
}

function updateEntry(update: SessionUpdate) {
  const receivedAt = update.receivedTime ? millisecondsOf(update.receivedTime) : 0;
  return [
    update.projectId,
    update.release,
    update.environment,
    update.sessionId,
    hourOf(update),
    update.userDigest,
    Number(update.sequence),
    update.updatedTime ? millisecondsOf(update.updatedTime) : receivedAt,
    update.status || SessionStatus.OK,
    update.errorCount,
    receivedAt,
  ] as const;
}

function aggregateEntry(aggregate: SessionAggregate, receipt: string | null = null) {
  const { projectId, release, environment, userDigest, exited, abnormal, crashed } = aggregate;
  const errored = aggregate.errored + aggregate.unhandled;
  const total = exited + errored + abnormal + crashed;
  const hour = hourOf(aggregate);
  return [total, projectId, release, environment, hour, userDigest, errored, crashed, abnormal, receipt] as const;
}

function hourOf({ startedTime }: Described): number {
  return startedTime ? Math.floor(millisecondsOf(startedTime) / hourMs) : 0;
}
