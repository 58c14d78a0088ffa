import type { TrackerIssueState } from "@faultline/proto";
import type { Generated, Selectable } from "kysely";

/** The tables of notifier-0005, for Kysely. Times are milliseconds since 1970. */
export interface TrackerTables {
  notifier_tracker: TrackerTable;
  notifier_issue: IssueTable;
  notifier_issue_change: IssueChangeTable;
}

interface TrackerTable {
  readonly id: Generated<number>;
  readonly project_id: number;
  readonly kind: string;
  readonly name: string;
  /** The encrypted JSON of a TrackerConfig. */
  readonly config: string;
  readonly only_comments: number;
  /** The random last part of the webhook address. Requests of strangers fail at the lookup. */
  readonly hook_key: string;
  /** When the latest signed webhook arrived, to the minute; null if none did. */
  readonly hook_at: number | null;
  /** Consecutive failed calls, not counting calls for people who wait. */
  readonly failed_calls: number;
  /** Why the last call failed, in words; empty if it succeeded. */
  readonly failure: string;
  /** We make no call before this time. */
  readonly next_call_at: number;
  readonly created_at: number;
  readonly created_by: string;
}

/** The issue of an error. An error has at most one: (project_id, error_id) is unique. */
interface IssueTable {
  readonly id: Generated<number>;
  readonly project_id: number;
  readonly error_id: string;
  readonly tracker_id: number;
  /** Part of the issue's text, to find the issue again. */
  readonly mark: string;
  /** Empty while it is being created. */
  readonly issue_key: string;
  readonly url: string;
  readonly state: TrackerIssueState;
  readonly reason: string;
  readonly is_confidential: number;
  /** Attempts to create the issue. The result of an attempt is ignored after another has begun. */
  readonly tries: number;
  /** When the creation is resumed or the state is read again; null if neither is due. */
  readonly due_at: number | null;
  readonly created_at: number;
  readonly created_by: string;
}

/** A change that is still to be sent to an issue. */
interface IssueChangeTable {
  readonly id: Generated<number>;
  readonly issue_id: number;
  readonly kind: IssueChangeKind;
  /** Part of the comment, to avoid writing it twice. */
  readonly mark: string;
  /** The release in which an error came back; empty if unknown. */
  readonly release: string;
  /** The user name of the person who resolved it. */
  readonly actor: string;
  readonly happened_at: number;
  readonly tries: number;
  readonly due_at: number;
}

/** The error came back, or somebody resolved it. */
export type IssueChangeKind = "returned" | "resolved";

export type TrackerRow = Selectable<TrackerTable>;
export type IssueRow = Selectable<IssueTable>;
export type IssueChangeRow = Selectable<IssueChangeTable>;
