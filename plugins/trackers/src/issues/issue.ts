import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestamp } from "@faultline/plugin";
import { TrackerIssueState, type TrackerIssueSchema } from "@faultline/proto";
import type { Kysely } from "kysely";
import { trackerKindNamed } from "../kinds.ts";
import type { IssueRow, TrackerRow, TrackerTables } from "../tables.ts";
import type { Issue } from "../tracker-kind.ts";

/** Names an error. */
export interface OfError {
  readonly projectId: number;
  readonly errorId: string;
}

/** The issue of an error. */
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

/** The columns of an issue that the tracker has. */
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
