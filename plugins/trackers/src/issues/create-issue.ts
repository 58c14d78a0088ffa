import { randomBytes } from "node:crypto";
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { Kysely } from "kysely";
import { invalidField, ServiceError, type Host, projectPath, readErrors, timestamp } from "@faultline/plugin";
import {
  TrackerIssueState as State,
  ErrorReason,
  ErrorService,
  EventPosition,
  type Event,
  TrackerIssueState,
  type TrackerIssueSchema,
} from "@faultline/proto";
import { projectPlace } from "@faultline/plugin/text";
import { backoff } from "@faultline/plugin/flow";
import { openTracker } from "../call-tracker.ts";
import { trackerKindNamed } from "../kinds/tracker-kinds.ts";
import type { IssueRow, TrackerRow, TrackerTables } from "../tables.ts";
import { TrackerFailure } from "../tracker-failure.ts";
import { openTrackerConfig, readTracker } from "../tracker.ts";
import { issueText, type IssueText } from "../issue-text.ts";
import type { Issue } from "../tracker-kind.ts";

/** Identifies an error. */
export interface OfError {
  readonly projectId: number;
  readonly errorId: string;
}

export function issueOfError(
  tables: Kysely<TrackerTables>,
  { projectId, errorId }: OfError,
): Promise<IssueRow | undefined> {
  return tables
    .selectFrom("notifier_issue")
    .selectAll()
    .where("project_id", "=", projectId)
    .where("error_id", "=", errorId)
    .executeTakeFirst();
}

/** The columns that come from the tracker. */
export const columnsOf = ({ key, url, isOpen }: Issue) => ({ issue_key: key, url, reason: "", state: stateOf(isOpen) });

export const stateOf = (isOpen: boolean): TrackerIssueState =>
  isOpen ? TrackerIssueState.OPEN : TrackerIssueState.CLOSED;

export function issueToProto(
  row: IssueRow,
  tracker: Pick<TrackerRow, "kind" | "name">,
): MessageInitShape<typeof TrackerIssueSchema> {
  return {
    projectId: row.project_id,
    errorId: row.error_id,
    trackerId: row.tracker_id,
    trackerName: tracker.name,
    kindName: trackerKindNamed(tracker.kind).name,
    reference: /^\d+$/.test(row.issue_key) ? `#${row.issue_key}` : row.issue_key,
    url: row.url,
    state: row.state,
    reason: row.reason,
    createdTime: timestamp(row.created_at),
    createdBy: row.created_by,
  };
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/**
 * How long an attempt to create an issue may take, and how long we wait before looking for an issue after a creation
 * without an answer. By then the tracker has finished, and its index includes the issue.
 */
const creationMs = minuteMs;

/** The wait before a creation is resumed, by the number of attempts. */
const creationWait = (tries: number): number => backoff(tries, { firstMs: creationMs, longestMs: hourMs });

/** The most attempts to create an issue. */
const mostCreations = 10;

/** The wait after a change: GitHub accepts fewer than 80 content requests a minute, and a change makes two. */
export const changePaceMs = 2_000;

/** The wait before a change is sent again, by the number of attempts. */
export const changeWait = (tries: number): number => backoff(tries, { firstMs: minuteMs, longestMs: hourMs });

/** When a change that could not be sent is dropped. */
export const changeExpiresMs = 4 * dayMs;

/** The wait of a tracker after consecutive failed calls. */
export const trackerWait = (failedCalls: number): number =>
  backoff(failedCalls, { firstMs: 30_000, longestMs: hourMs });

/**
 * The time between two readings of an issue's state: an hour with webhooks (which may be lost) or for a closed issue,
 * otherwise five minutes.
 */
export const readingWait = (isOpen: boolean, { hook_at: hookAt }: Pick<TrackerRow, "hook_at">, now: number): number =>
  isOpen && !(hookAt !== null && hookAt > now - dayMs) ? 5 * minuteMs : hourMs;

/**
 * Creates the issue of an error, or returns its existing issue. The row is stored first, so that concurrent or
 * interrupted calls make a single issue: the caller that stored it creates the issue, and after an attempt with an
 * unknown result, we search for the issue.
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
  await readIssueText(console, given, ""); // refuses a missing error
  const claimed = await claim(host, given);
  if (claimed) return attempt(console, claimed);
  const found = await issueOfError(host.database.write(), given);
  return found ?? createIssue(console, given); // the issue was unlinked or refused a moment ago
}

/**
 * Claims the row of an issue for this call to create; undefined if the error has an issue or another call is creating
 * it.
 */
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

/** A single word, because searches split texts. */
export const newMark = (): string => `fl${randomBytes(16).toString("hex")}`;

/** Resumes a creation with an unknown result. */
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

/**
 * Creates the issue of a row that this call has claimed. From the second attempt on, first looks for an issue from an
 * earlier attempt.
 */
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
    // The error or its project may be deleted by now.
    const shown = failure instanceof ServiceError ? new TrackerFailure(failure.reason, failure.message) : failure;
    if (!(shown instanceof TrackerFailure)) throw failure;
    return failed(host, row, shown);
  }
}

const dueOf = ({ clock }: Host, tracker: TrackerRow, isOpen: boolean): number =>
  clock.now() + readingWait(isOpen, tracker, clock.now());

/** Whether no other attempt has begun since. Restarts the time of this attempt. */
async function isStillMine(host: Host, row: IssueRow): Promise<boolean> {
  return (await update(host, row, { due_at: host.clock.now() + creationMs })) !== undefined;
}

async function failed(host: Host, row: IssueRow, failure: TrackerFailure): Promise<IssueRow> {
  if (row.tries === 1 && !failure.isUnknown) {
    // Nothing was created, so the row is removed.
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

/** Undefined if another attempt has begun since. */
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

/** The methods that trackers need in addition to the methods of signals. */
export const trackerCalls = [ErrorService.method.getEvent, ErrorService.method.updateErrors];

/** The service with the address of its console, for links. */
export interface Console {
  readonly host: Host;
  readonly baseUrl: () => string;
}

/** The text of an error's issue. Refuses a missing error. */
async function readIssueText({ host, baseUrl }: Console, of: OfError, mark: string): Promise<IssueText> {
  const { projectId, errorId } = of;
  const error = (await readErrors(host, { projectId, errorIds: [errorId] })).get(errorId);
  if (!error) throw new ServiceError(ErrorReason.ERROR_NOT_FOUND, "This error does not exist in this project.");
  const path = (await projectPath(host, projectId)) ?? String(projectId);
  const event = mark === "" ? undefined : await newestEvent(host, of);
  return issueText(error, event, { project: projectPlace(path, baseUrl()), mark });
}

/** Undefined if no event is kept, or if the project's backend does not return it now. */
async function newestEvent({ invoke }: Host, of: OfError): Promise<Event | undefined> {
  try {
    const request = { ...of, position: EventPosition.NEWEST };
    return (await invoke(ErrorService.method.getEvent, request)).event;
  } catch (refusal) {
    if (refusal instanceof ServiceError) return undefined;
    throw refusal;
  }
}
