import type { BulkUpdate } from "../../messages.ts";
import { trpc } from "../../trpc.ts";
import { undoneWords, type NamedBulkUpdate } from "./recent-acts.ts";

/** The pause between two checks of the progress. */
export const lookEachMs = 1_000;

/** Whether the service still works on it. */
export const isRunning = ({ state }: BulkUpdate) =>
  state === "BULK_UPDATE_STATE_CHANGING" || state === "BULK_UPDATE_STATE_UNDOING";

/**
 * Undoes a bulk update, waits for its end, and returns the result in words. The service continues even if nobody waits.
 */
export async function undoBulk({ projectId, bulkUpdateId }: NamedBulkUpdate): Promise<string> {
  const named = { projectId, bulkUpdateId };
  let { bulkUpdate } = await trpc.bulkUpdates.undoBulkUpdate.mutate(named);
  while (bulkUpdate !== undefined && isRunning(bulkUpdate)) {
    await new Promise((resolve) => setTimeout(resolve, lookEachMs));
    ({ bulkUpdate } = await trpc.bulkUpdates.getBulkUpdate.query(named));
  }
  const { keptCount = 0, changedCount = 0 } = bulkUpdate ?? {};
  return undoneWords(keptCount, changedCount);
}
