import { refreshAll } from "$app/navigation";
import { page } from "$app/state";
import { toaster } from "../../components/toaster.svelte.ts";
import { refusedCallMessage, refusedCallReason } from "../../failures/refused-call.ts";
import type { BulkUpdate, ErrorStatus } from "../../messages.ts";
import { trpc } from "../../trpc.ts";
import { bulkAct, showEnded } from "./bulk-acts.ts";
import { keepAct } from "./undo-act.ts";
import { isRunning } from "./undo-bulk.ts";

/** The errors that a list finds. */
export interface Matching {
  readonly projectId: number;
  readonly query: string;
  /** ERROR_STATUS_UNSPECIFIED for all. */
  readonly status: ErrorStatus;
}

/** The number of matching errors, and the newest error of the project when they were counted. */
export interface Counted {
  readonly count: number;
  readonly lastErrorId: string;
}

/** Counts the matching errors. */
export const countMatching = ({ projectId, query, status }: Matching): Promise<Counted> =>
  trpc.errors.getErrorCount.query({ projectId, query, status });

/**
 * Sets the status of all matching errors. The service continues after this page is closed. If the number of matching
 * errors is not the expected number, nothing is changed, and the current number is returned.
 */
export async function changeMatching(
  matching: Matching,
  newStatus: ErrorStatus,
  { count, lastErrorId }: Counted,
): Promise<Counted | undefined> {
  try {
    const asked = { ...matching, newStatus, expectedCount: count, lastErrorId };
    const { bulkUpdate } = await trpc.bulkUpdates.createBulkUpdate.mutate(asked);
    if (bulkUpdate !== undefined) await show(bulkUpdate);
  } catch (error) {
    if (refusedCallReason(error) === "EXPECTED_COUNT_DIFFERS") return countMatching(matching);
    toaster.show({ text: `Could not change the status. ${refusedCallMessage(error)}`, failed: true });
  }
  return undefined;
}

/** Shows the result of a bulk update that has ended. Otherwise the list shows its progress. */
async function show(made: BulkUpdate): Promise<void> {
  const username = page.data.user?.username ?? "";
  const { projectId, bulkUpdateId } = made;
  const project = { projectId, path: page.data.project?.path ?? "" };
  keepAct(username, bulkAct(made, project));
  await refreshAll();
  const { bulkUpdate: now } = await trpc.bulkUpdates.getBulkUpdate.query({ projectId, bulkUpdateId });
  if (now === undefined || isRunning(now)) return;
  showEnded(username, now, project);
  if (isRunning(made)) await refreshAll(); // it ended while the list was read
}
