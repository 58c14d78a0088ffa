import { cleanLine, projectPlace } from "@faultline/plugin/text";
import { projectPath } from "@faultline/plugin";
import { errorAddress, type IssueComment } from "../issue-text.ts";
import type { IssueChangeRow, IssueRow, TrackerRow, TrackerTables } from "../tables.ts";
import { TrackerFailure } from "../tracker-failure.ts";
import type { OpenTracker, TrackerKind } from "../tracker-kind.ts";
import { stateOf } from "./issue.ts";
import { changeExpiresMs, changeWait, readingWait } from "./pace.ts";
import type { Console } from "./read-issue-text.ts";

/** A tracker that is called. */
export interface CalledTracker {
  readonly row: TrackerRow;
  readonly kind: TrackerKind;
  readonly open: OpenTracker;
}

/**
 * Sends a change to an issue: a comment, and the state that follows. Sent again, it writes no second comment, as it looks for the
 * mark of the first. Throws a TrackerFailure where it is to be sent later.
 */
export async function sendChange(
  console: Console,
  tracker: CalledTracker,
  { change, issue }: { readonly change: IssueChangeRow; readonly issue: IssueRow },
): Promise<void> {
  const { host } = console;
  const write = host.database.write<TrackerTables>();
  const now = host.clock.now();
  const tries = change.tries + 1;
  // Counted before it is sent: one that a kill cuts off may have arrived.
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
  if (!now) return issue.state === stateOf(true); // it is gone, or moved
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
