import type { ErrorStatus, PayloadEncoding } from "@faultline/proto";

/** The tables of migrations/, for Kysely. */
export interface Tables {
  integrated_error: ErrorTable;
  integrated_event: EventTable;
  integrated_payload: PayloadTable;
  integrated_hour: { error_id: number; hour: number; event_count: number };
  integrated_user: { error_id: number; user: string; last_seen_day: number };
  integrated_tag: { error_id: number; key: string; value: string; last_seen_day: number };
}

export interface PayloadTable {
  event_row_id: number;
  encoding: PayloadEncoding;
  start: number;
  length: number;
  content: Buffer;
}

export interface ErrorTable {
  id: number;
  project_id: number;
  group_hash: Buffer;
  grouping_version: number;
  title: string;
  type: string;
  value: string;
  culprit: string;
  level: string;
  platform: string;
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
