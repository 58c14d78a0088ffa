import { maxFeedbackOfEvent } from "../lists/feedback.ts";
import { hash } from "node:crypto";
import { millisecondsOf, type NotedOutcome } from "@faultline/plugin";
import { OutcomeKind, type UserFeedback } from "@faultline/proto";
import { sql, type Kysely } from "kysely";
import { storableJson } from "../event/storable-json.ts";
import type { Storage } from "../storage.ts";
import type { Tables } from "../tables.ts";

/**
 * Maximum entries kept per project. The oldest entries are deleted first, so that a flood cannot keep later entries
 * out.
 */
const maxFeedbackOfProject = 10_000;

/** The outcome of an entry beyond the limits. */
const tooMuchFeedback = {
  kind: OutcomeKind.LEFT_ASIDE,
  category: "feedback",
  reason: "too_many",
} as const;

/**
 * Stores users' feedback, about no event or about events that may not have arrived yet. An entry sent again changes
 * nothing. Returns the outcomes of entries without room.
 */
export async function storeFeedback(
  storage: Storage,
  database: Kysely<Tables>,
  feedback: readonly UserFeedback[],
): Promise<NotedOutcome[]> {
  const entries = new Map<string, { projectId: number; columns: (number | string)[] }>();
  for (const one of feedback) {
    const { projectId, eventId, name, email, comments, receivedTime, url, source, environment, release } = one;
    const contentHash = hashOf(one);
    const receivedAt = receivedTime ? millisecondsOf(receivedTime) : 0;
    const columns = [projectId, eventId, contentHash, name, email, comments, receivedAt];
    columns.push(url, source, environment, release);
    entries.set(`${projectId}/${eventId}/${contentHash}`, { projectId, columns });
  }
  const unique = [...entries.values()];
  const list = storableJson(unique.map(({ columns }) => columns));
  const leftAside = await storage.storeFeedback(database, list, maxFeedbackOfEvent);
  const crowdedOut: NotedOutcome[] = leftAside
    .flatMap((n) => unique[n] ?? [])
    .map(({ projectId }) => ({ projectId, ...tooMuchFeedback, quantity: 1 }));
  for (const projectId of new Set(unique.map((entry) => entry.projectId))) {
    const quantity = await deleteOldest(database, projectId);
    if (quantity > 0) crowdedOut.push({ projectId, ...tooMuchFeedback, quantity });
  }
  return crowdedOut;
}

/**
 * Identifies an entry that is sent again. Two users may write the same text about no event, so the sender's id counts
 * then.
 */
function hashOf({ eventId, sentId, name, email, comments }: UserFeedback): string {
  const parts = eventId === "" ? [sentId, name, email, comments] : [name, email, comments];
  return hash("sha256", JSON.stringify(parts)).slice(0, 32);
}

async function deleteOldest(database: Kysely<Tables>, projectId: number): Promise<number> {
  const { numAffectedRows } = await sql`delete from integrated_feedback where project_id = ${projectId} and id <= (
    select id from integrated_feedback where project_id = ${projectId}
    order by id desc limit 1 offset ${maxFeedbackOfProject})`.execute(database);
  return Number(numAffectedRows ?? 0);
}
