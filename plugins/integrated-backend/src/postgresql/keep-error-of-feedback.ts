import { sql, type Kysely, type RawBuilder } from "kysely";
import type { Tables } from "../tables.ts";

/**
 * Notes the error of events that are about to be deleted in the feedback about them. Feedback has a separate retention,
 * and is deleted with its error when the error is erased. `events` are the events as `e`, with a condition.
 */
export async function keepErrorOfFeedback(database: Kysely<Tables>, events: RawBuilder<unknown>): Promise<void> {
  await sql`update integrated_feedback f set error_id = e.error_id from ${events}
    and f.project_id = e.project_id and f.event_id = e.event_id`.execute(database);
}
