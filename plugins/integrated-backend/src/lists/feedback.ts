import type { MessageInitShape } from "@bufbuild/protobuf";
import { pageSizeOf, pageToken, readPageToken } from "@faultline/plugin";
import type { ListFeedbackRequest, ListFeedbackResponseSchema } from "@faultline/proto";
import { sql, type Kysely } from "kysely";
import { hidden, type EventTable, type FeedbackTable, type Tables } from "../tables.ts";
import type { Storage } from "../storage.ts";
import { listedFeedbackToProto, type FeedbackRow } from "./to-proto.ts";

/** Maximum entries kept, and therefore shown, with an event. */
export const maxFeedbackOfEvent = 20;

/** The feedback of a project's users, newest first, without feedback about errors that are being deleted. */
export async function listFeedback(
  { read }: Storage,
  request: ListFeedbackRequest,
): Promise<MessageInitShape<typeof ListFeedbackResponseSchema>> {
  const [before] = readPageToken("feedback", request.pageToken, ["number"]) ?? [Number.MAX_SAFE_INTEGER];
  const size = pageSizeOf(request);
  // A sub-query, because PostgreSQL may store an event twice if it arrives again after a week.
  const { rows } = await sql<FeedbackRow>`
    select f.*, error.id as shown_error_id, error.title as error_title
    from (
      select integrated_feedback.*, (
        select event.error_id from integrated_event event
        where event.project_id = integrated_feedback.project_id and event.event_id = integrated_feedback.event_id
        limit 1) as event_error_id
      from integrated_feedback where project_id = ${request.projectId} and id < ${before}
    ) f
    left join integrated_error error on error.project_id = f.project_id and error.id = coalesce(event_error_id, f.error_id)
    where error.status is null or error.status <> ${hidden}
    order by f.id desc limit ${size + 1}`.execute(read);
  const page = rows.slice(0, size);
  const last = rows.length > size ? page.at(-1) : undefined;
  return {
    feedback: page.map(listedFeedbackToProto),
    nextPageToken: last ? pageToken("feedback", [last.id]) : "",
  };
}

/** The feedback about an event, oldest first. If an earlier release stored more, only the newest entries. */
export async function feedbackOf(database: Kysely<Tables>, event: EventTable): Promise<FeedbackTable[]> {
  const newest = await database
    .selectFrom("integrated_feedback")
    .selectAll()
    .where("project_id", "=", event.project_id)
    .where("event_id", "=", event.event_id)
    .orderBy("id", "desc")
    .limit(maxFeedbackOfEvent)
    .execute();
  return newest.toReversed();
}
