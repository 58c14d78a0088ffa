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
  /** The last part of the address for its webhook: a random one, so that requests of strangers end at the look-up. */
  readonly hook_key: string;
  /** When the latest signed webhook arrived, to the minute. Null: none did. */
  readonly hook_at: number | null;
  /** Calls in a row that failed, beside those for people who wait. */
  readonly failed_calls: number;
  /** Why the last one failed, in words. Empty: it did not. */
  readonly failure: string;
  /** No call by ourselves before. */
  readonly next_call_at: number;
  readonly created_at: number;
  readonly created_by: string;
}

/** The issue of an error. One at most: (project_id, error_id) is unique. */
interface IssueTable {
  readonly id: Generated<number>;
  readonly project_id: number;
  readonly error_id: string;
  readonly tracker_id: number;
  /** Stands in the issue's text, so that it is found again. */
  readonly mark: string;
  /** Empty while it is being created. */
  readonly issue_key: string;
  readonly url: string;
  readonly state: TrackerIssueState;
  readonly reason: string;
  readonly is_confidential: number;
  /** Attempts to create it. One that ends after another began counts no more. */
  readonly tries: number;
  /** When the creation is taken up again, or the state is read again. Null: not. */
  readonly due_at: number | null;
  readonly created_at: number;
  readonly created_by: string;
}

/** What is still to be sent to an issue. */
interface IssueChangeTable {
  readonly id: Generated<number>;
  readonly issue_id: number;
  readonly kind: IssueChangeKind;
  /** Stands in the comment, so that it is not written twice. */
  readonly mark: string;
  /** Of an error that came back: the release it came back in. Empty: not known. */
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
