import { TrackerIssueState as State } from "@faultline/proto";
import type { Database } from "@faultline/plugin";
import type { IssueChangeRow, IssueRow, TrackerRow, TrackerTables } from "../tables.ts";

/** Issues that are looked at in one run. */
const issuesAtMost = 500;
const changesAtMost = 100;

/** What is due of a tracker. */
export interface DueWork {
  readonly tracker: TrackerRow;
  /** Creations whose end is not known. */
  readonly creating: readonly IssueRow[];
  /** What is to be sent next, each with its issue. */
  readonly changes: readonly { readonly change: IssueChangeRow; readonly issue: IssueRow }[];
  /** Issues whose state is to be read; none to which something is still to be sent. */
  readonly reading: readonly IssueRow[];
}

/** What is due, by tracker. Trackers that want no calls now are left out. */
export async function dueWork(database: Database, now: number): Promise<DueWork[]> {
  const read = database.read<TrackerTables>();
  const issues = await read
    .selectFrom("notifier_issue")
    .selectAll()
    .where("due_at", "<=", now)
    .where(({ or, eb, not, exists, selectFrom }) =>
      or([
        eb("state", "=", State.CREATING),
        not(
          exists(
            selectFrom("notifier_issue_change")
              .select("notifier_issue_change.id")
              .whereRef("notifier_issue_change.issue_id", "=", "notifier_issue.id"),
          ),
        ),
      ]),
    )
    .orderBy("due_at")
    .limit(issuesAtMost)
    .execute();
  const changes = await dueChanges(database, now);
  const ids = new Set([...issues, ...changes.map(({ issue }) => issue)].map((issue) => issue.tracker_id));
  if (ids.size === 0) return [];
  const trackers = await read
    .selectFrom("notifier_tracker")
    .selectAll()
    .where("id", "in", [...ids])
    .where("next_call_at", "<=", now)
    .execute();
  return trackers.map((tracker) => {
    const own = issues.filter((issue) => issue.tracker_id === tracker.id);
    return {
      tracker,
      creating: own.filter(({ state }) => state === State.CREATING),
      reading: own.filter(({ state }) => state !== State.CREATING),
      changes: changes.filter(({ issue }) => issue.tracker_id === tracker.id),
    };
  });
}

/** The oldest change of each issue, where it is due: those of one issue are sent in their order. */
async function dueChanges(database: Database, now: number): Promise<DueWork["changes"]> {
  const read = database.read<TrackerTables>();
  const changes = await read
    .selectFrom("notifier_issue_change")
    .selectAll()
    .where("due_at", "<=", now)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("notifier_issue_change as older")
            .select("older.id")
            .whereRef("older.issue_id", "=", "notifier_issue_change.issue_id")
            .whereRef("older.id", "<", "notifier_issue_change.id"),
        ),
      ),
    )
    .orderBy("id")
    .limit(changesAtMost)
    .execute();
  if (changes.length === 0) return [];
  const issues = await read
    .selectFrom("notifier_issue")
    .selectAll()
    .where(
      "id",
      "in",
      changes.map((change) => change.issue_id),
    )
    .where("state", "in", [State.OPEN, State.CLOSED])
    .execute();
  const issueOf = new Map(issues.map((issue) => [issue.id, issue]));
  return changes.flatMap((change) => {
    const issue = issueOf.get(change.issue_id);
    return issue ? [{ change, issue }] : [];
  });
}
