import type { Host } from "@faultline/plugin";
import { openTracker } from "../call-tracker.ts";
import { trackerKindNamed } from "../kinds.ts";
import type { TrackerRow, TrackerTables } from "../tables.ts";
import { TrackerFailure } from "../tracker-failure.ts";
import { openTrackerConfig } from "../tracker.ts";
import { takeUp } from "./create-issue.ts";
import { dueWork, type DueWork } from "./due-work.ts";
import { changePaceMs, trackerWait } from "./pace.ts";
import type { Console } from "./read-issue-text.ts";
import { readStates } from "./read-states.ts";
import { sendChange } from "./send-change.ts";

/**
 * Does what is due with the issues of all trackers, side by side, so that one that hangs delays no other: of each one creation,
 * one change and one reading. Runs in one process of the installation at a time.
 */
export async function workOnIssues(console: Console, signal: AbortSignal): Promise<void> {
  const { host } = console;
  const due = await dueWork(host.database, host.clock.now());
  await Promise.all(due.map((work) => workOnTracker(console, work, signal)));
}

async function workOnTracker(console: Console, work: DueWork, signal: AbortSignal): Promise<void> {
  const { host } = console;
  const { tracker: row, creating, changes, reading } = work;
  const kind = trackerKindNamed(row.kind);
  const tracker = { row, kind, open: openTracker(host, kind, openTrackerConfig(host.secrets, row).fields) };
  try {
    const [creation] = creating;
    if (creation) await takeUp(console, creation);
    const [change] = changes;
    if (change && !signal.aborted) await sendChange(console, tracker, change);
    if (reading.length > 0 && !signal.aborted) await readStates(host, tracker, reading);
    if (change) await note(host, row, changePaceMs);
    else if (row.failed_calls > 0 && reading.length > 0) await note(host, row, 0);
  } catch (failure) {
    if (!(failure instanceof TrackerFailure)) throw failure;
    await note(host, row, failure);
  }
}

/** Notes at the tracker whether its calls succeed, and for how long it is left alone. */
async function note({ database, clock }: Host, row: TrackerRow, came: TrackerFailure | number): Promise<void> {
  const isFailure = came instanceof TrackerFailure;
  const failedCalls = isFailure ? row.failed_calls + 1 : 0;
  const waitMs = isFailure ? Math.max(came.retryAfterMs, trackerWait(failedCalls)) : came;
  const failure = isFailure ? came.message : "";
  await database
    .write<TrackerTables>()
    .updateTable("notifier_tracker")
    .set({ failed_calls: failedCalls, failure, next_call_at: clock.now() + waitMs })
    .where("id", "=", row.id)
    .execute();
}
