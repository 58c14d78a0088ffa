import { type Host, readErrors } from "@faultline/plugin";
import { ErrorService, ErrorStatus, TrackerIssueState as State } from "@faultline/proto";
import type { IssueRow, TrackerTables } from "../tables.ts";
import { issuesAtOnce } from "../tracker-kind.ts";
import { stateOf } from "./issue.ts";
import { readingWait } from "./pace.ts";
import type { CalledTracker } from "./send-change.ts";

/**
 * Reads the states of issues in one request, and resolves the errors of those that were closed since. Reopening an issue changes
 * nothing of its error.
 */
export async function readStates(
  host: Host,
  { kind, open, row: tracker }: CalledTracker,
  due: readonly IssueRow[],
): Promise<void> {
  const rows = due.slice(0, issuesAtOnce);
  const issues = await kind.read(open, [...new Set(rows.map((row) => row.issue_key))]);
  const closed = rows.filter((row) => row.state === State.OPEN && issues.get(row.issue_key)?.isOpen === false);
  // Resolved before it is written down: what a kill leaves out is done at the next reading.
  await resolve(host, tracker.project_id, closed);
  const now = host.clock.now();
  for (const row of rows) {
    const isOpen = issues.get(row.issue_key)?.isOpen ?? row.state === State.OPEN; // one that is gone stays as it was
    await host.database
      .write<TrackerTables>()
      .updateTable("notifier_issue")
      .set({ state: stateOf(isOpen), due_at: now + readingWait(isOpen, tracker, now) })
      .where("id", "=", row.id)
      .where("due_at", "=", row.due_at) // a webhook that arrived meanwhile wants another reading
      .execute();
  }
}

/** Resolves the errors of these issues that are open. */
async function resolve(host: Host, projectId: number, closed: readonly IssueRow[]): Promise<void> {
  if (closed.length === 0) return;
  const errors = await readErrors(host, { projectId, errorIds: closed.map((row) => row.error_id) });
  const changes = [...errors.values()].flatMap(({ errorId, status }) =>
    status === ErrorStatus.UNRESOLVED ? [{ errorId, status: ErrorStatus.RESOLVED }] : [],
  );
  if (changes.length > 0) await host.invoke(ErrorService.method.updateErrors, { projectId, changes });
}
