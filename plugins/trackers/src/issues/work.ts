import { setTimeout as delay } from "node:timers/promises";
import { type Host, readErrors, projectPath } from "@faultline/plugin";
import { FairQueue } from "@faultline/plugin/flow";
import { ErrorService, ErrorStatus, TrackerIssueState as State } from "@faultline/proto";
import { cleanLine, projectPlace } from "@faultline/plugin/text";
import { openTracker } from "../call-tracker.ts";
import { trackerKindNamed } from "../kinds/tracker-kinds.ts";
import type { TrackerRow, TrackerTables, IssueRow, IssueChangeRow } from "../tables.ts";
import { TrackerFailure } from "../tracker-failure.ts";
import { openTrackerConfig } from "../tracker.ts";
import {
  takeUp,
  type Console,
  changePaceMs,
  trackerWait,
  readingWait,
  changeExpiresMs,
  changeWait,
  stateOf,
} from "./create-issue.ts";
import { dueWork, type DueWork } from "./due-work.ts";
import { issuesAtOnce, type OpenTracker, type TrackerKind } from "../tracker-kind.ts";
import { errorAddress, type IssueComment } from "../issue-text.ts";

/** Trackers called simultaneously: in total, and per project. */
const trackersAtOnce = 16;
const ofProject = 2;

/** How soon due work begins while the calls of another tracker take long. */
const lookEachMs = 500;

/**
 * Does the due work of all trackers: one creation, one change and one reading each. Projects take turns, and while one
 * tracker hangs, for up to 15 s a call, the work of the others continues. Runs in one process of the installation at a
 * time.
 */
export async function workOnIssues(console: Console, signal: AbortSignal): Promise<void> {
  const { host } = console;
  const queue = new FairQueue({ atOnce: trackersAtOnce, ofOwner: ofProject });
  const running = new Map<number, Promise<void>>();
  const failures = new Map<number, unknown>();
  do {
    const due = await dueWork(host.database, {
      now: host.clock.now(),
      except: [...running.keys(), ...failures.keys()],
    });
    for (const work of due) {
      const { id, project_id: projectId } = work.tracker;
      const owner = `project ${projectId}`;
      const done = queue
        .run({ owners: [owner], signal }, () => workOnTracker(console, work, signal))
        .catch((failure: unknown) => void failures.set(id, failure))
        .finally(() => running.delete(id));
      running.set(id, done);
    }
    const all = Promise.all(running.values());
    await (signal.aborted ? all : Promise.race([all, delay(lookEachMs)]));
  } while (running.size > 0);
  if (signal.aborted) return;
  for (const failure of failures.values()) throw failure;
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

/** Stores whether calls to a tracker succeed, and when to call it next. */
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

/**
 * Reads the states of issues in one request, and resolves the errors of issues closed since. Reopening an issue does
 * not change its error.
 */
async function readStates(
  host: Host,
  { kind, open, row: tracker }: CalledTracker,
  due: readonly IssueRow[],
): Promise<void> {
  const rows = due.slice(0, issuesAtOnce);
  const issues = await kind.read(open, [...new Set(rows.map((row) => row.issue_key))]);
  const closed = rows.filter((row) => row.state === State.OPEN && issues.get(row.issue_key)?.isOpen === false);
  // Resolved before the state is stored: if the process is killed between the two, the next reading resolves the rest.
  await resolve(host, tracker.project_id, closed);
  const now = host.clock.now();
  for (const row of rows) {
    const isOpen = issues.get(row.issue_key)?.isOpen ?? row.state === State.OPEN; // deleted issues keep their state
    await host.database
      .write<TrackerTables>()
      .updateTable("notifier_issue")
      .set({ state: stateOf(isOpen), due_at: now + readingWait(isOpen, tracker, now) })
      .where("id", "=", row.id)
      .where("due_at", "=", row.due_at) // a webhook that arrived meanwhile wants another reading
      .execute();
  }
}

/** Resolves the open errors of these issues. */
async function resolve(host: Host, projectId: number, closed: readonly IssueRow[]): Promise<void> {
  if (closed.length === 0) return;
  const errors = await readErrors(host, { projectId, errorIds: closed.map((row) => row.error_id) });
  const changes = [...errors.values()].flatMap(({ errorId, status }) =>
    status === ErrorStatus.UNRESOLVED ? [{ errorId, status: ErrorStatus.RESOLVED }] : [],
  );
  if (changes.length > 0) await host.invoke(ErrorService.method.updateErrors, { projectId, changes });
}

/** A tracker to call. */
interface CalledTracker {
  readonly row: TrackerRow;
  readonly kind: TrackerKind;
  readonly open: OpenTracker;
}

/**
 * Sends a change to an issue: a comment, and the new state. A repeated attempt looks for the mark of the first comment,
 * so it writes no second comment. Throws a TrackerFailure if the change is to be sent later.
 */
async function sendChange(
  console: Console,
  tracker: CalledTracker,
  { change, issue }: { readonly change: IssueChangeRow; readonly issue: IssueRow },
): Promise<void> {
  const { host } = console;
  const write = host.database.write<TrackerTables>();
  const now = host.clock.now();
  const tries = change.tries + 1;
  // Counted before it is sent: a change that a kill interrupts may have arrived.
  await write
    .updateTable("notifier_issue_change")
    .set({ tries, due_at: now + changeWait(tries) })
    .where("id", "=", change.id)
    .execute();
  try {
    const isOpen = await send(console, tracker, { change, issue });
    await write.transaction().execute(async (transaction) => {
      await transaction.deleteFrom("notifier_issue_change").where("id", "=", change.id).execute();
      const dueAt = host.clock.now() + readingWait(isOpen, tracker.row, host.clock.now());
      const columns = { state: stateOf(isOpen), due_at: dueAt };
      await transaction.updateTable("notifier_issue").set(columns).where("id", "=", issue.id).execute();
    });
  } catch (failure) {
    if (!(failure instanceof TrackerFailure)) throw failure;
    const isOver = now - change.happened_at > changeExpiresMs;
    if (!failure.isForGood && !isOver) throw failure;
    host.log.warn({ issue: issue.url, kind: change.kind, failure: failure.message }, "an issue could not be changed");
    await write.deleteFrom("notifier_issue_change").where("id", "=", change.id).execute();
  }
}

/** Whether the issue is open afterwards. */
async function send(
  console: Console,
  { kind, open, row }: CalledTracker,
  { change, issue }: { readonly change: IssueChangeRow; readonly issue: IssueRow },
): Promise<boolean> {
  const { issue_key: key } = issue;
  const now = (await kind.read(open, [key])).get(key);
  if (!now) return issue.state === stateOf(true); // deleted or moved
  const isReturned = change.kind === "returned";
  if (!isReturned && !now.isOpen) return false;
  const comment = await commentOf(console, { change, issue });
  if (change.tries === 0 || !(await hasMark(kind, open, { key, change }))) await kind.comment(open, key, comment);
  const wanted = isReturned ? now.isOpen || row.only_comments === 0 : false;
  if (wanted !== now.isOpen) await kind.setOpen(open, key, wanted);
  return wanted;
}

async function hasMark(
  kind: TrackerKind,
  open: OpenTracker,
  { key, change }: { key: string; change: IssueChangeRow },
): Promise<boolean> {
  return JSON.stringify(await kind.newestComments(open, key, change.happened_at)).includes(change.mark);
}

async function commentOf(
  { host, baseUrl }: Console,
  { change, issue }: { readonly change: IssueChangeRow; readonly issue: IssueRow },
): Promise<IssueComment> {
  const path = (await projectPath(host, issue.project_id)) ?? String(issue.project_id);
  const url = errorAddress(projectPlace(path, baseUrl()), issue.error_id);
  if (change.kind === "returned") {
    const release = cleanLine(change.release, 200);
    const foreign = release === "" ? [] : [`Release: ${release}`];
    return { sentence: "This error came back after it was resolved.", foreign, url, mark: change.mark };
  }
  const by = cleanLine(change.actor, 200);
  const foreign = by === "" ? [] : [`By: ${by}`];
  return { sentence: "The error was resolved, so this issue is closed.", foreign, url, mark: change.mark };
}
