import { hash } from "node:crypto";
import { millisecondsOf } from "@faultline/plugin";
import type { UserFeedback } from "@faultline/proto";
import { sql, type Kysely } from "kysely";
import type { Due } from "./retention.ts";
import type { EventTable, FeedbackTable, Tables } from "./tables.ts";

const batchRows = 500;

/** Entries that are shown with an event. */
const shownFeedback = 20;

/** Stores what users wrote, also about events that are not there yet; what is sent again changes nothing. */
export async function storeFeedback(database: Kysely<Tables>, feedback: readonly UserFeedback[]): Promise<void> {
  const entries = JSON.stringify(
    feedback.map(({ projectId, eventId, name, email, comments, receivedTime }) => {
      const contentHash = hash("sha256", JSON.stringify([name, email, comments])).slice(0, 32);
      return [projectId, eventId, contentHash, name, email, comments, receivedTime ? millisecondsOf(receivedTime) : 0];
    }),
  );
  await sql`insert into integrated_feedback (project_id, event_id, content_hash, name, email, comments, received_at)
    select value ->> 0, unhex(value ->> 1), unhex(value ->> 2), value ->> 3, value ->> 4, value ->> 5, value ->> 6
    from json_each(${entries}) where true
    on conflict (project_id, event_id, content_hash) do nothing`.execute(database);
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

/** Deletes what was received before the cutoff: its event is gone, or it never came. */
export async function deleteFeedback(database: Kysely<Tables>, { cutoff }: Due): Promise<number> {
  const { numAffectedRows } = await sql`delete from integrated_feedback where id in (
    select id from integrated_feedback where received_at < ${cutoff} limit ${batchRows})`.execute(database);
  return Number(numAffectedRows ?? 0);
}
