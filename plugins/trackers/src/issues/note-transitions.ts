import type { ErrorTransition, HandleErrorTransitions, Host } from "@faultline/plugin";
import { ErrorStatus, TrackerIssueState as State } from "@faultline/proto";
import type { IssueChangeKind, TrackerTables } from "../tables.ts";
import { newMark } from "./create-issue.ts";

/** What the plugin did itself, because an issue was closed, is not sent to that issue. */
const ourselves = "plugin:trackers";

/**
 * Notes what is to be sent to the issues of errors, in the transaction that takes the transitions. An issue is forgotten with its
 * error.
 */
export const noteForIssues =
  ({ clock }: Pick<Host, "clock">): HandleErrorTransitions =>
  async (transitions, transaction) => {
    const concerning = transitions.filter((one) => one.kind === "erased" || changeOf(one) !== undefined);
    if (concerning.length === 0) return;
    const tables = transaction.write<TrackerTables>();
    const issues = await tables
      .selectFrom("notifier_issue")
      .select(["id", "project_id", "error_id", "state"])
      .where("project_id", "in", [...new Set(concerning.map(({ projectId }) => projectId))])
      .where("error_id", "in", [...new Set(concerning.map(({ errorId }) => errorId))])
      .execute();
    if (issues.length === 0) return;
    const rowOf = new Map(issues.map((row) => [`${row.project_id} ${row.error_id}`, row]));
    for (const one of concerning) {
      const row = rowOf.get(`${one.projectId} ${one.errorId}`);
      const kind = changeOf(one);
      if (!row) continue;
      if (kind === undefined) await tables.deleteFrom("notifier_issue").where("id", "=", row.id).execute();
      else if (row.state !== State.FAILED) {
        const columns = { kind, mark: newMark(), release: one.release, actor: one.by, tries: 0 };
        const now = clock.now();
        const values = { issue_id: row.id, ...columns, happened_at: now, due_at: now };
        await tables.insertInto("notifier_issue_change").values(values).execute();
      }
    }
  };

function changeOf({ kind, status, by }: ErrorTransition): IssueChangeKind | undefined {
  if (kind === "reopened") return "returned";
  return kind === "status" && status === ErrorStatus.RESOLVED && by !== ourselves ? "resolved" : undefined;
}
