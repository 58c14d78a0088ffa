import { type DeletionState, ErrorStatus, type PayloadEncoding, type SessionStatus } from "@faultline/proto";
import type { Generated } from "kysely";

/** The deletion that errors belong to. */
export interface OfDeletion {
  readonly projectId: number;
  readonly deletionId: number;
}

/** The tables of the migrations, for Kysely; on PostgreSQL each has a project_id. */
export interface Tables {
  integrated_error: ErrorTable;
  integrated_event: EventTable;
  integrated_payload: PayloadTable;
  integrated_block: { last_row_id: number; first_row_id: number; content: Buffer };
  integrated_packed: { event_row_id: number; block_row_id: number; start: number; length: number };
  integrated_origin: { event_row_id: number; key_id: number };
  integrated_usage: { project_id: number; event_count: number; payload_bytes: number; tag_bytes: number };
  integrated_hour: { error_id: number; hour: number; event_count: number };
  integrated_user: UserTable;
  integrated_tag: { error_id: number; key: string; value: string; last_seen_day: number };
  integrated_count: CountTable;
  integrated_tag_key: { error_id: number; key: string; value_count: number };
  integrated_cardinality: { error_id: number; key_count: number; other_tag_count: number; other_user_count: number };
  /** The levels that errors with a changed level have had. */
  integrated_level: { error_id: number; level: string; is_new: number };
  /** Events that spike protection did not store. */
  integrated_sampled_out: { project_id: number; error_id: number; day: number; event_count: number };
  integrated_new_error: { project_id: number; day: number; error_count: number; used_until: number };
  integrated_tag_error: { project_id: number; key: string; value: string; error_id: number };
  integrated_search_due: DueError;
  /** Events of the project received before `until` have no tags for their contexts and places. */
  integrated_untagged: { project_id: number; until: number };
  integrated_search_fill: { project_id: number; group_hash: Buffer };
  integrated_release: ReleaseTable;
  integrated_session: SessionTable;
  integrated_session_hour: SessionHourTable;
  integrated_session_user: SessionUserTable;
  integrated_session_day: { project_id: number; day: number; release_id: number; user_count: number };
  /** Only on SQLite. */
  integrated_uncounted: { from_id: number; to_id: number; users_until: number };
  /** Only on SQLite. */
  integrated_environment: { project_id: number; environment: string; release_count: number };
  integrated_feedback: FeedbackTable;
  integrated_deletion: DeletionTable;
  integrated_deletion_error: DeletionErrorTable;
  integrated_alias: AliasTable;
  integrated_claim: ClaimTable;
  integrated_split: SplitTable;
  /**
   * Projects with groups of version 1: the last examined row id of an error, and when all errors were last examined.
   */
  integrated_version_1: { project_id: number; examined_id: number; examined_at: number };
  integrated_discard: DiscardTable;
  integrated_discard_hour: { project_id: number; discard_id: number; hour: number; event_count: number };
  integrated_discard_sample: DiscardSampleTable;
}

/** A user of an error. The times are null until one of the user's events is counted. */
export interface UserTable {
  error_id: number;
  user: string;
  last_seen_day: number;
  event_count: number;
  first_seen_at: number | null;
  last_seen_at: number | null;
  /** Written by `namesToStore`. Empty if the names are not known. */
  names: string;
}

/** The number of events of an error with a value of a tag. */
export interface CountTable {
  error_id: number;
  key: string;
  value: string;
  event_count: number;
  first_seen_at: number;
  last_seen_at: number;
}

/** An error that the index of searches does not have in its present form. */
export interface DueError {
  project_id: number;
  error_id: number;
}

export interface PayloadTable {
  event_row_id: number;
  encoding: PayloadEncoding;
  start: number;
  length: number;
  content: Buffer;
}

export interface ErrorTable extends Record<EventColumn, string> {
  id: number;
  project_id: number;
  group_hash: Buffer;
  grouping_version: number;
  status: ErrorStatus;
  event_count: number;
  user_count: number;
  first_seen_at: number;
  last_seen_at: number;
  first_release: string;
  last_release: string;
  status_changed_at: number | null;
  reopened_at: number | null;
}

export interface EventTable {
  id: number;
  project_id: number;
  event_id: Buffer;
  error_id: number;
  occurred_at: number;
  received_at: number;
  title: string;
  user: string;
  release: string;
  environment: string;
  level: string;
}

export interface ReleaseTable {
  id: number;
  project_id: number;
  version: string;
  environment: string;
  first_hour: number | null;
  last_hour: number | null;
}

export interface SessionTable {
  id: number;
  project_id: number;
  session_id: Buffer;
  release_id: number;
  hour: number;
  user: string;
  sequence: number;
  updated_at: number;
  status: SessionStatus;
  error_count: number;
  received_at: number;
}

export interface SessionHourTable {
  release_id: number;
  hour: number;
  total: number;
  errored: number;
  crashed: number;
  abnormal: number;
}

export interface SessionUserTable {
  release_id: number;
  day: number;
  user: string;
  session_count: number;
  crashed_count: number;
}

export interface FeedbackTable {
  id: number;
  project_id: number;
  /** Empty if the feedback is about no event. */
  event_id: Buffer;
  content_hash: Buffer;
  name: string;
  email: string;
  comments: string;
  received_at: number;
  url: string;
  source: string;
  environment: string;
  release: string;
  /** The error of the event after the event is deleted. Null if the event had no error or is still stored. */
  error_id: number | null;
}

export interface DeletionTable {
  id: Generated<number>;
  project_id: number;
  state: DeletionState;
  query: string;
  status: ErrorStatus;
  all_matching: number;
  /** The newest error when the deletion was created. Later errors are not deleted. */
  last_error_id: number;
  title: string;
  found_count: number;
  deleted_count: number;
  event_count: number;
  erased_event_count: number;
  restored_count: number;
  superseded_count: number;
  created_at: number;
  created_by: string;
  /** By the clock for deletions. */
  undo_until: number | null;
  finished_at: number | null;
  undone_at: number | null;
  /** A user name. */
  undone_by: string;
  /** The JSON of a DiscardEnd. Empty if nothing is discarded. */
  discard_end: string;
}

export interface DeletionErrorTable {
  project_id: number;
  deletion_id: number;
  error_id: number;
  previous_status: ErrorStatus;
  previous_hash: Buffer;
}

export interface DiscardTable {
  id: Generated<number>;
  project_id: number;
  deletion_id: number;
  group_hash: Buffer;
  /** The version of the grouping that made the hash. */
  grouping_version: number;
  title: string;
  culprit: string;
  level: string;
  created_at: number;
  created_by: string;
  ends_at: number | null;
  ends_after: number | null;
  /** Empty if no release ends it. */
  ends_with_release: string;
  ended_at: number | null;
  stopped_count: number;
  last_stopped_at: number | null;
}

export interface DiscardSampleTable extends Omit<PayloadTable, "event_row_id"> {
  project_id: number;
  discard_id: number;
  day: number;
  event_id: Buffer;
  received_at: number;
}

// Exceptions to the rule that a group belongs to the error with its hash.

/** The events of a group belong to the error of another group; see Aliases. */
export interface AliasTable {
  project_id: number;
  group_hash: Buffer;
  of_group_hash: Buffer;
  created_at: number;
}

/** The error that took the events of a group of version 1, and the group of version 2 for which it did. */
export interface ClaimTable {
  project_id: number;
  former_hash: Buffer;
  group_hash: Buffer;
  error_id: number;
  /** The error of the group of version 1, if another error took its events. */
  joined_error_id: number | null;
  claimed_at: number;
}

/** The error that counted the events of a group before the group got an error. */
export interface SplitTable {
  project_id: number;
  group_hash: Buffer;
  /** Null until an event of the group is stored. */
  error_id: number | null;
  from_error_id: number;
  split_at: number;
}

/**
 * The status of an error that is deleted but not erased yet; only the table has it. Lists and counts skip it because
 * they walk the visible statuses; any other read of errors must exclude it. The error also gets another hash, so that
 * the next event of its group creates a new error.
 */
export const hidden = -1 as ErrorStatus; // deliberately not an ErrorStatus; the column takes any number

/** The visible statuses. */
export const statuses = [ErrorStatus.UNRESOLVED, ErrorStatus.RESOLVED, ErrorStatus.IGNORED] as const;

/**
 * The columns of an error that an event sets from its field of the same name. To add a column, add a name to one of
 * these lists and a migration for each database (CONTRIBUTING.md, a field of an error).
 */

/** Columns that each newest event sets again, in the order of the entries that PostgreSQL's procedures read. */
export const newestColumns = ["title", "type", "value", "culprit", "level"] as const;

/** Columns that only the event that creates the error sets. */
export const firstColumns = ["platform"] as const;

export const eventColumns = [...newestColumns, ...firstColumns] as const;

export type EventColumn = (typeof eventColumns)[number];
