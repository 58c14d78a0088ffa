import { type Host, type ReadHeads, dayMs } from "@faultline/plugin";
import { parsedEvent, readErrorEvent, type JsonObject } from "@faultline/sentry-event";
import { PayloadEncoding, type ErrorEvent } from "@faultline/proto";
import { hidden, type EventTable } from "../tables.ts";
import { retentionCutoff } from "../retention/retention.ts";
import { summaryOf } from "../event/summary.ts";
import type { Storage } from "../storage.ts";
import type { Aliases } from "./aliases.ts";
import type { Claims } from "./claims.ts";
import { groupHash, groupingVersion } from "./group-events.ts";

/** The examined errors: errors with a recent event, latest first. Older errors rarely get new events. */
const lately = { days: 7, errors: 1_000 };

/** Events read per error. One group of minified code may contain several errors; the most common error counts. */
const eventsRead = 3;

interface Parts {
  readonly storage: Storage;
  readonly aliases: Aliases;
  readonly claims: Claims;
  readonly host: Pick<Host, "clock" | "errorChanges">;
}

interface ErrorToRegroup {
  readonly id: number;
  readonly group_hash: Buffer;
  readonly grouping_version: number;
}

/** See ErrorBackend.regroup. */
export async function regroup(
  { storage, aliases, claims, host }: Parts,
  { projectId, read, signal }: { projectId: number; read: ReadHeads; signal: AbortSignal },
): Promise<void> {
  const now = host.clock.now();
  await aliases.deleteOld(projectId, retentionCutoff(now));
  const errors: readonly ErrorToRegroup[] = await storage.read
    .selectFrom("integrated_error")
    .select(["id", "group_hash", "grouping_version"])
    .where("project_id", "=", projectId)
    .where("status", "<>", hidden)
    .where("last_seen_at", ">=", now - lately.days * dayMs)
    .orderBy("last_seen_at", "desc")
    .limit(lately.errors)
    .execute();
  for (const error of errors) {
    if (signal.aborted || aliases.roomOf(projectId) <= 0) return;
    const heads = async (limit: number) => {
      const events = await newestEvents(storage, { projectId, errorId: error.id, limit });
      return (await read(events)).filter((head, n) => head !== events[n]);
    };
    const [newest] = await heads(1);
    if (!newest) continue;
    let ofHash = error.group_hash.toString("hex");
    const isKnown = (hash: string) => hash === ofHash || aliases.has(projectId, hash);
    if (!isKnown(groupHash(newest))) {
      const hash = commonest((await heads(eventsRead)).map(groupHash));
      if (error.grouping_version < groupingVersion) {
        // An error of version 1 takes the group itself, so that later batches look nothing up for it.
        await claims.settle({ projectId, hash, formerHash: ofHash });
        ofHash = hash;
      } else if (!isKnown(hash)) await aliases.add({ projectId, hash, ofHash });
    }
    const { title, type } = summaryOf(newest);
    const { culprit } = newest;
    const { numUpdatedRows } = await storage.write
      .updateTable("integrated_error")
      .set({ culprit, title, type })
      .where("project_id", "=", projectId)
      .where("id", "=", error.id)
      .where(({ eb, or }) => or([eb("culprit", "<>", culprit), eb("title", "<>", title), eb("type", "<>", type)]))
      .executeTakeFirstOrThrow();
    if (numUpdatedRows > 0n) host.errorChanges.publish(new Map([[projectId, new Set([ofHash])]]));
  }
}

/** The heads of the newest events of an error, from their payloads. */
export async function newestEvents(
  storage: Storage,
  { projectId, errorId, limit }: { projectId: number; errorId: number; limit: number },
): Promise<readonly ErrorEvent[]> {
  const rows = await storage.nextEvents({ projectId, errorId, place: undefined, limit });
  const jsons = new Map<number, Buffer>();
  for await (const [id, json] of storage.eventJsons(storage.read, rows ?? [])) jsons.set(id, json);
  return (rows ?? []).flatMap((row) => {
    const json = jsons.get(row.id);
    return json ? headOf(row, json) : [];
  });
}

/** The head of a stored event, from its payload. */
export function headOf(row: EventTable, json: Buffer): ErrorEvent {
  return headOfJson(row, json, parsedEvent(json.toString()));
}

/** The same head without the event's transaction, so that its culprit is the place of its crash frame. */
export function headWithoutTransaction(row: EventTable, json: Buffer): ErrorEvent {
  const { transaction: _, ...event } = parsedEvent(json.toString());
  return headOfJson(row, json, event);
}

function headOfJson(row: EventTable, json: Buffer, event: JsonObject): ErrorEvent {
  const eventId = row.event_id.toString("hex");
  return readErrorEvent(event, {
    projectId: row.project_id,
    payload: { content: json, encoding: PayloadEncoding.UNSPECIFIED, offset: 0, length: 0 },
    receivedAt: row.received_at,
    envelopeEventId: eventId,
    newEventId: () => eventId,
  });
}

/** The most frequent text, or the first of several equally frequent texts. */
function commonest(texts: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  const [[first = ""] = []] = [...counts].toSorted(([, a], [, b]) => b - a);
  return first;
}
