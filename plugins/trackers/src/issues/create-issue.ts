import { randomBytes } from "node:crypto";
import { invalidField, ServiceError, type Host } from "@faultline/plugin";
import { TrackerIssueState as State } from "@faultline/proto";
import { openTracker } from "../call-tracker.ts";
import { trackerKindNamed } from "../kinds.ts";
import type { IssueRow, TrackerRow, TrackerTables } from "../tables.ts";
import { TrackerFailure } from "../tracker-failure.ts";
import { openTrackerConfig, readTracker } from "../tracker.ts";
import { readIssueText, type Console } from "./read-issue-text.ts";
import { columnsOf, issueOfError, type OfError } from "./issue.ts";
import { creationMs, creationWait, mostCreations, readingWait } from "./pace.ts";

/**
 * Creates the issue of an error, or returns the one that it has. What is to be created is stored first, so that two calls, or one
 * that a kill cuts off, make one issue: who stored it creates it, and an attempt whose end is not known is followed by a search.
 */
export async function createIssue(
  console: Console,
  given: OfError & { readonly trackerId: number; readonly isConfidential: boolean; readonly by: string },
): Promise<IssueRow> {
  const { host } = console;
  const tracker = await readTracker(host.database.read(), given.projectId, given.trackerId);
  if (given.isConfidential && !trackerKindNamed(tracker.kind).offersConfidential) {
    throw invalidField("confidential", `Issues of ${trackerKindNamed(tracker.kind).name} cannot be confidential.`);
  }
  await readIssueText(console, given, ""); // refuses an error that is not there
  const claimed = await claim(host, given);
  if (claimed) return attempt(console, claimed);
  const found = await issueOfError(host.database.write(), given);
  return found ?? createIssue(console, given); // it was unlinked, or refused, just now
}

/** The row of an issue that this call is to create. Undefined: the error has one, or it is being created. */
async function claim(
  { database, clock }: Host,
  given: OfError & { readonly trackerId: number; readonly isConfidential: boolean; readonly by: string },
): Promise<IssueRow | undefined> {
  const write = database.write<TrackerTables>();
  const now = clock.now();
  const begun = { state: State.CREATING, reason: "", due_at: now + creationMs };
  const values = {
    ...begun,
    project_id: given.projectId,
    error_id: given.errorId,
    tracker_id: given.trackerId,
    mark: newMark(),
    issue_key: "",
    url: "",
    is_confidential: Number(given.isConfidential),
    tries: 1,
    created_at: now,
    created_by: given.by,
  };
  const inserted = await write
    .insertInto("notifier_issue")
    .values(values)
    .onConflict((conflict) => conflict.columns(["project_id", "error_id"]).doNothing())
    .returningAll()
    .executeTakeFirst();
  if (inserted) return inserted;
  return write
    .updateTable("notifier_issue")
    .set(({ eb }) => ({ ...begun, tries: eb("tries", "+", 1) }))
    .where("project_id", "=", given.projectId)
    .where("error_id", "=", given.errorId)
    .where("state", "=", State.FAILED)
    .returningAll()
    .executeTakeFirst();
}

/** One word, as searches take texts apart. */
export const newMark = (): string => `fl${randomBytes(16).toString("hex")}`;

/** Takes up a creation whose end is not known. */
export async function takeUp(console: Console, row: IssueRow): Promise<void> {
  const { database, clock } = console.host;
  const taken = await database
    .write<TrackerTables>()
    .updateTable("notifier_issue")
    .set({ tries: row.tries + 1, due_at: clock.now() + creationMs })
    .where("id", "=", row.id)
    .where("tries", "=", row.tries)
    .where("state", "=", State.CREATING)
    .returningAll()
    .executeTakeFirst();
  if (taken) await attempt(console, taken);
}

/** Creates the issue of a row that this call has claimed. From the second attempt on it looks first for what an earlier one made. */
async function attempt(console: Console, row: IssueRow): Promise<IssueRow> {
  const { host } = console;
  const tracker = await readTracker(host.database.write(), row.project_id, row.tracker_id);
  const kind = trackerKindNamed(tracker.kind);
  const open = openTracker(host, kind, openTrackerConfig(host.secrets, tracker).fields);
  try {
    const found = row.tries > 1 ? await kind.find(open, row.mark, row.created_at) : undefined;
    if (found) return await finish(host, row, { ...columnsOf(found), due_at: dueOf(host, tracker, found.isOpen) });
    const text = await readIssueText(console, { projectId: row.project_id, errorId: row.error_id }, row.mark);
    if (!(await isStillMine(host, row))) return await current(host, row);
    const made = await kind.create(open, text, { isConfidential: row.is_confidential !== 0 });
    return await finish(host, row, { ...columnsOf(made), due_at: dueOf(host, tracker, made.isOpen) });
  } catch (failure) {
    // The error, or its project, may be gone meanwhile.
    const shown = failure instanceof ServiceError ? new TrackerFailure(failure.reason, failure.message) : failure;
    if (!(shown instanceof TrackerFailure)) throw failure;
    return failed(host, row, shown);
  }
}

const dueOf = ({ clock }: Host, tracker: TrackerRow, isOpen: boolean): number =>
  clock.now() + readingWait(isOpen, tracker, clock.now());

/** Whether no other attempt has begun since; the time of this one begins again. */
async function isStillMine(host: Host, row: IssueRow): Promise<boolean> {
  return (await update(host, row, { due_at: host.clock.now() + creationMs })) !== undefined;
}

async function failed(host: Host, row: IssueRow, failure: TrackerFailure): Promise<IssueRow> {
  if (row.tries === 1 && !failure.isUnknown) {
    // Nothing was created, so that nothing is left of it.
    await host.database
      .write<TrackerTables>()
      .deleteFrom("notifier_issue")
      .where("id", "=", row.id)
      .where("tries", "=", row.tries)
      .execute();
    throw failure.refusal();
  }
  const reason = failure.isUnknown
    ? `${failure.message} Faultline is checking whether the issue was created.`
    : failure.message;
  if (!failure.isPassing || row.tries >= mostCreations) {
    return finish(host, row, { state: State.FAILED, reason: failure.message, due_at: null });
  }
  const waitMs = Math.max(failure.retryAfterMs, creationWait(row.tries));
  return finish(host, row, { reason, due_at: host.clock.now() + waitMs });
}

const finish = async (host: Host, row: IssueRow, columns: Partial<IssueRow>): Promise<IssueRow> =>
  (await update(host, row, columns)) ?? current(host, row);

/** Undefined: another attempt has begun since. */
function update({ database }: Host, row: IssueRow, columns: Partial<IssueRow>): Promise<IssueRow | undefined> {
  return database
    .write<TrackerTables>()
    .updateTable("notifier_issue")
    .set(columns)
    .where("id", "=", row.id)
    .where("tries", "=", row.tries)
    .where("state", "=", State.CREATING)
    .returningAll()
    .executeTakeFirst();
}

const current = async ({ database }: Host, row: IssueRow): Promise<IssueRow> =>
  (await issueOfError(database.write(), { projectId: row.project_id, errorId: row.error_id })) ?? row;
