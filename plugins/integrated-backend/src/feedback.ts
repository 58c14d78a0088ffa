import { hash } from "node:crypto";
import { millisecondsOf } from "@faultline/plugin";
import type { UserFeedback } from "@faultline/proto";
import type { Kysely } from "kysely";
import { storableJson } from "./storable-json.ts";
import type { Storage } from "./storage.ts";
import type { EventTable, FeedbackTable, Tables } from "./tables.ts";

/** Entries that are shown with an event. */
const shownFeedback = 20;

/** Stores what users wrote, also about events that are not there yet; what is sent again changes nothing. */
export async function storeFeedback(
  storage: Storage,
  database: Kysely<Tables>,
  feedback: readonly UserFeedback[],
): Promise<void> {
  const entries = storableJson(
    feedback.map(({ projectId, eventId, name, email, comments, receivedTime }) => {
      const contentHash = hash("sha256", JSON.stringify([name, email, comments])).slice(0, 32);
      return [projectId, eventId, contentHash, name, email, comments, receivedTime ? millisecondsOf(receivedTime) : 0];
    }),
  );
  await storage.storeFeedback(database, entries);
}

/** What users wrote about an event, oldest first. */
export function feedbackOf(database: Kysely<Tables>, event: EventTable): Promise<FeedbackTable[]> {
  return database
    .selectFrom("integrated_feedback")
    .selectAll()
    .where("project_id", "=", event.project_id)
    .where("event_id", "=", event.event_id)
    .orderBy("id")
    .limit(shownFeedback)
    .execute();
}
