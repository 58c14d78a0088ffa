import { randomBytes } from "node:crypto";
import { invalidField, ServiceError, type Database, type Host } from "@faultline/plugin";
import { ErrorReason, type UpdateTrackerRequest } from "@faultline/proto";
import { sql, type Kysely, type Transaction } from "kysely";
import { changedFields } from "@faultline/plugin/fields";
import { checkedName, refuseTakenName } from "@faultline/plugin/text";
import { openTracker } from "./call-tracker.ts";
import { trackerKindNamed } from "./kinds/tracker-kinds.ts";
import type { TrackerRow, TrackerTables } from "./tables.ts";
import { orRefusal } from "./tracker-failure.ts";
import type { TrackerConfig, TrackerFields, TrackerKind } from "./tracker-kind.ts";
import { newHookSecret, openTrackerConfig, readTracker, sealTrackerConfig, trackersIn } from "./tracker.ts";

const mostTrackers = 5;

/** A tracker with its settings. */
export interface StoredTracker {
  readonly row: TrackerRow;
  readonly config: TrackerConfig;
}

/** Stores a new tracker after checking that its project can be read. */
export async function addTracker(
  host: Host,
  given: { projectId: number; kind: string; name: string; fields: TrackerFields; onlyComments: boolean; by: string },
): Promise<StoredTracker> {
  const { projectId, name, onlyComments, by } = given;
  const kind = trackerKindNamed(given.kind);
  const config: TrackerConfig = { fields: changedFields(kind, {}, given.fields), hookSecret: newHookSecret() };
  refuseFull(await trackersIn(host.database.read(), projectId));
  await check(host, kind, config.fields);
  const row = await changeTrackers(host.database, async (transaction) => {
    const others = await trackersIn(transaction, projectId);
    refuseFull(others);
    const now = host.clock.now();
    const values = {
      project_id: projectId,
      kind: kind.kind,
      name: refuseTakenName(others, checkedName(name)),
      config: "",
      only_comments: Number(onlyComments),
      hook_key: randomBytes(16).toString("hex"),
      hook_at: null,
      ...callableFrom(now),
      created_at: now,
      created_by: by,
    };
    const made = await transaction
      .insertInto("notifier_tracker")
      .values(values)
      .returningAll()
      .executeTakeFirstOrThrow();
    const sealed = { config: sealTrackerConfig(host.secrets, made.id, config) }; // encrypted for this row's id
    await transaction.updateTable("notifier_tracker").set(sealed).where("id", "=", made.id).execute();
    return { ...made, ...sealed };
  });
  return { row, config };
}

/** Changes the given fields of a tracker after checking that its project can be read. */
export async function changeTracker(
  host: Host,
  projectId: number,
  request: UpdateTrackerRequest,
): Promise<StoredTracker> {
  const { trackerId, name, fields, onlyComments, rotateWebhookSecret } = request;
  const before = await readTracker(host.database.read(), projectId, trackerId);
  const kind = trackerKindNamed(before.kind);
  if (Object.keys(fields).length > 0) {
    await check(host, kind, changedFields(kind, openTrackerConfig(host.secrets, before).fields, fields));
  }
  return changeTrackers(host.database, async (transaction) => {
    const stored = await readTracker(transaction, projectId, trackerId);
    const opened = openTrackerConfig(host.secrets, stored);
    const others = (await trackersIn(transaction, projectId)).filter(({ id }) => id !== trackerId);
    const config: TrackerConfig = {
      fields: changedFields(kind, opened.fields, fields),
      hookSecret: rotateWebhookSecret ? newHookSecret() : opened.hookSecret,
    };
    if (config.fields[kind.projectField] !== opened.fields[kind.projectField])
      await refuseLinked(transaction, kind, trackerId);
    const columns = {
      name: name === "" ? stored.name : refuseTakenName(others, checkedName(name)),
      config: sealTrackerConfig(host.secrets, trackerId, config),
      only_comments: Number(onlyComments ?? stored.only_comments !== 0),
      ...callableFrom(host.clock.now()),
    };
    await transaction.updateTable("notifier_tracker").set(columns).where("id", "=", trackerId).execute();
    return { row: { ...stored, ...columns }, config };
  });
}

/** Deletes a tracker with its links, and returns the deleted tracker. */
export function removeTracker({ database }: Host, projectId: number, trackerId: number): Promise<TrackerRow> {
  return changeTrackers(database, async (transaction) => {
    const stored = await readTracker(transaction, projectId, trackerId);
    await transaction.deleteFrom("notifier_tracker").where("id", "=", trackerId).execute();
    return stored;
  });
}

const check = (host: Host, kind: TrackerKind, fields: TrackerFields): Promise<void> =>
  orRefusal(kind.check(openTracker(host, kind, fields)));

const callableFrom = (now: number) => ({ failed_calls: 0, failure: "", next_call_at: now });

/** Runs changes one after another, so that no change adds to a list, or takes a name, that another has just read. */
function changeTrackers<T>(
  database: Database,
  work: (transaction: Transaction<TrackerTables>) => Promise<T>,
): Promise<T> {
  return database
    .write<TrackerTables>()
    .transaction()
    .execute(async (transaction) => {
      if (database.kind === "postgresql") {
        await sql`lock table notifier_tracker in share row exclusive mode`.execute(transaction);
      }
      return work(transaction);
    });
}

/** The keys of the linked issues would name issues of another project. */
async function refuseLinked(
  tables: Kysely<TrackerTables>,
  { projectField }: TrackerKind,
  trackerId: number,
): Promise<void> {
  const linked = await tables
    .selectFrom("notifier_issue")
    .select("id")
    .where("tracker_id", "=", trackerId)
    .limit(1)
    .execute();
  if (linked.length === 0) return;
  const words = "Errors are linked to issues of this project. To use another project, add another tracker.";
  throw invalidField(`fields.${projectField}`, words);
}

function refuseFull(trackers: readonly TrackerRow[]): void {
  if (trackers.length < mostTrackers) return;
  throw new ServiceError(
    ErrorReason.LIMIT_REACHED,
    `A project has at most ${mostTrackers} issue trackers. Delete one first.`,
  );
}
