import { TrackerIssueState as State } from "@faultline/proto";
import type { Database } from "@faultline/plugin";
import { issuesAtOnce } from "../tracker-kind.ts";
import type { IssueChangeRow, IssueRow, TrackerRow, TrackerTables } from "../tables.ts";

/**
 * Issues read together, the first of each tracker before the second of any tracker. Changes are read one per tracker.
 */
const issuesAtMost = 500;
const changesAtMost = 500;

export interface DueWork {
  readonly tracker: TrackerRow;
  /** Creations with an unknown result. */
  readonly creating: readonly IssueRow[];
  /** The next change to send, with its issue; at most one. */
  readonly changes: readonly { readonly change: IssueChangeRow; readonly issue: IssueRow }[];
  /** Issues with a state to read and no changes left to send. */
  readonly reading: readonly IssueRow[];
}

/** Due work, by tracker. Leaves out trackers that want no calls now, and the trackers in `except`. */
export async function dueWork(
  database: Database,
  { now, except }: { readonly now: number; readonly except: readonly number[] },
): Promise<DueWork[]> {
  const read = database.read<TrackerTables>();
  const callable = callableTrackers(database, now, except);
  const dueIssues = read
    .selectFrom("notifier_issue")
    .selectAll()
    .select(({ fn }) =>
      fn
        .agg<number>("row_number")
        .over((over) => over.partitionBy("tracker_id").orderBy("due_at"))
        .as("turn"),
    )
    .where("due_at", "<=", now)
    .where("tracker_id", "in", callable)
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
    .as("due");
  const issues = await read
    .selectFrom(dueIssues)
    .selectAll()
    .where("turn", "<=", issuesAtOnce)
    .orderBy("turn")
    .orderBy("due_at")
    .limit(issuesAtMost)
    .execute();
  const changes = await dueChanges(database, callable, now);
  const ids = new Set([...issues, ...changes.map(({ issue }) => issue)].map((issue) => issue.tracker_id));
  if (ids.size === 0) return [];
  const trackers = await read
    .selectFrom("notifier_tracker")
    .selectAll()
    .where("id", "in", [...ids])
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

const callableTrackers = (database: Database, now: number, except: readonly number[]) =>
  database
    .read<TrackerTables>()
    .selectFrom("notifier_tracker")
    .select("id")
    .where("next_call_at", "<=", now)
    .where("id", "not in", [0, ...except]); // PostgreSQL rejects an empty list

/**
 * The next change of each tracker: the oldest due change that is also the oldest of its issue, because the changes of
 * an issue are sent in order.
 */
async function dueChanges(
  database: Database,
  trackers: ReturnType<typeof callableTrackers>,
  now: number,
): Promise<DueWork["changes"]> {
  const read = database.read<TrackerTables>();
  const due = read
    .selectFrom("notifier_issue_change")
    .innerJoin("notifier_issue", "notifier_issue.id", "notifier_issue_change.issue_id")
    .selectAll("notifier_issue_change")
    .select(({ fn }) =>
      fn
        .agg<number>("row_number")
        .over((over) => over.partitionBy("notifier_issue.tracker_id").orderBy("notifier_issue_change.id"))
        .as("turn"),
    )
    .where("notifier_issue_change.due_at", "<=", now)
    .where("notifier_issue.state", "in", [State.OPEN, State.CLOSED])
    .where("notifier_issue.tracker_id", "in", trackers)
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
    .as("due");
  const changes = await read
    .selectFrom(due)
    .selectAll()
    .where("turn", "=", 1)
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
