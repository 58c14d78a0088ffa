import { hash } from "node:crypto";
import { millisecondsOf } from "@faultline/plugin";
import { OutcomeKind, type UserFeedback } from "@faultline/proto";
import type { Kysely } from "kysely";
import { storableJson } from "./storable-json.ts";
import type { Storage } from "../storage.ts";
import type { EventTable, FeedbackTable, Tables } from "../tables.ts";

/** The most entries that are kept, and so shown, with an event. */
const maxFeedback = 20;

/** The outcome of an entry beyond that. */
export const tooMuchFeedback = {
  kind: OutcomeKind.LEFT_ASIDE,
  category: "feedback",
  reason: "too_many",
  quantity: 1,
} as const;

/**
 * Stores users' feedback, also about events that have not arrived yet; an entry sent again changes nothing. Returns the
 * entries it did not store, because their event already has the most.
 */
export async function storeFeedback(
  storage: Storage,
  database: Kysely<Tables>,
  feedback: readonly UserFeedback[],
): Promise<UserFeedback[]> {
  const entries = new Map<string, { one: UserFeedback; columns: (number | string)[] }>();
  for (const one of feedback) {
    const { projectId, eventId, name, email, comments, receivedTime } = one;
    const contentHash = hash("sha256", JSON.stringify([name, email, comments])).slice(0, 32);
    const receivedAt = receivedTime ? millisecondsOf(receivedTime) : 0;
    const columns = [projectId, eventId, contentHash, name, email, comments, receivedAt];
    entries.set(`${projectId}/${eventId}/${contentHash}`, { one, columns });
  }
  const unique = [...entries.values()];
  const leftAside = await storage.storeFeedback(
    database,
    storableJson(unique.map(({ columns }) => columns)),
    maxFeedback,
  );
  return leftAside.flatMap((n) => unique[n]?.one ?? []);
}

/** The feedback about an event, oldest first: the newest entries where an earlier release stored more. */
export async function feedbackOf(database: Kysely<Tables>, event: EventTable): Promise<FeedbackTable[]> {
  const newest = await database
    .selectFrom("integrated_feedback")
    .selectAll()
    .where("project_id", "=", event.project_id)
    .where("event_id", "=", event.event_id)
    .orderBy("id", "desc")
    .limit(maxFeedback)
    .execute();
  return newest.toReversed();
}
