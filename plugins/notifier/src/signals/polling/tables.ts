import type { Selectable } from "kysely";

/** The tables of what is polled. Times are milliseconds since 1970. */
export interface PollingTables {
  notifier_poll: PollTable;
  notifier_sample: SampleTable;
  notifier_episode: EpisodeTable;
  notifier_milestone: MilestoneTable;
  notifier_release: ReleaseTable;
}

/** What a poll knew last of a subject, such as `quota`. */
interface PollTable {
  readonly project_id: number;
  readonly subject: string;
  /** JSON, as the subject's poll wrote it. */
  readonly state: string;
}

/** How many events an error had at a time. Kept for three hours. */
interface SampleTable {
  readonly project_id: number;
  readonly error_id: string;
  readonly sampled_at: number;
  readonly event_count: number;
}

/** A spike that is not over. */
interface EpisodeTable {
  readonly rule_id: number;
  readonly error_id: string;
  readonly project_id: number;
  readonly opened_at: number;
  /** The most that were counted. */
  readonly most: number;
  /** Since when it is below half of the limit. Null: it is not. */
  readonly below_since: number | null;
  /** 0: it began in a maintenance window, and was not reported. */
  readonly is_announced: number;
}

/** How far an error is on its way to the next power of ten. Kept for 90 days after its last event. */
interface MilestoneTable {
  readonly project_id: number;
  readonly error_id: string;
  /** The events that are not counted, as they came before it was reopened. */
  readonly base_count: number;
  /** 0: it was not. */
  readonly reopened_at: number;
  /** The last power that was reported or passed over. 0: none. */
  readonly reached: number;
  readonly seen_at: number;
}

/** A release that has had a new error. Kept for a year. */
interface ReleaseTable {
  readonly project_id: number;
  readonly version: string;
  readonly seen_at: number;
}

export type EpisodeRow = Selectable<EpisodeTable>;
export type MilestoneRow = Selectable<MilestoneTable>;
