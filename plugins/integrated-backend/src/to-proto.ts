import type { MessageInitShape } from "@bufbuild/protobuf";
import { hourMs, timestamp } from "@faultline/plugin";
import { commitOf } from "@faultline/plugin/sentry-event";
import type {
  ErrorSchema,
  EventSummarySchema,
  ReleaseSchema,
  SessionCountsSchema,
  UserFeedbackSchema,
} from "@faultline/proto";
import type { ErrorTable, EventTable, FeedbackTable } from "./tables.ts";
import type { Trend } from "./trend.ts";

// Rows become messages here and nowhere else.

/** An error with the newest of its event times before the running hour; null while there is none. */
export type ErrorRow = ErrorTable & { readonly settled_last_seen_at: number | null };

export function errorToProto(row: ErrorRow, trend?: Trend): MessageInitShape<typeof ErrorSchema> {
  return {
    errorId: String(row.id),
    projectId: row.project_id,
    title: row.title,
    type: row.type,
    value: row.value,
    culprit: row.culprit,
    level: row.level,
    platform: row.platform,
    status: row.status,
    eventCount: row.event_count,
    affectedUserCount: row.user_count,
    firstSeenTime: timestamp(row.first_seen_at),
    lastSeenTime: timestamp(row.last_seen_at),
    ...(row.settled_last_seen_at !== null && { settledLastSeenTime: timestamp(row.settled_last_seen_at) }),
    firstRelease: row.first_release,
    lastRelease: row.last_release,
    firstCommit: commitOf(row.first_release),
    lastCommit: commitOf(row.last_release),
    ...(row.status_changed_at !== null && { statusChangedTime: timestamp(row.status_changed_at) }),
    ...(row.reopened_at !== null && { reopenedTime: timestamp(row.reopened_at) }),
    ...(trend && { hourlyCounts: trend.counts, hourlyCountsStartTime: timestamp(trend.first * hourMs) }),
  };
}

export function eventSummaryToProto(row: EventTable): MessageInitShape<typeof EventSummarySchema> {
  return {
    eventId: row.event_id.toString("hex"),
    occurredTime: timestamp(row.occurred_at),
    receivedTime: timestamp(row.received_at),
    title: row.title,
    user: row.user,
    release: row.release,
    environment: row.environment,
    level: row.level,
  };
}

/** Sessions counted in the database. */
export interface SessionCountsRow {
  readonly total: number;
  readonly errored: number;
  readonly crashed: number;
  readonly abnormal: number;
}

/** A release in a window of hours. */
export interface ReleaseRow extends SessionCountsRow {
  readonly version: string;
  readonly first_hour: number;
  readonly last_hour: number;
  readonly user_count: number;
  readonly crashed_user_count: number;
  /** 1 where users were counted together. */
  readonly more_users: number;
}

export function releaseToProto(row: ReleaseRow): MessageInitShape<typeof ReleaseSchema> {
  return {
    version: row.version,
    otherReleases: row.version === "",
    commit: commitOf(row.version),
    sessions: sessionCountsToProto(row),
    userCount: row.user_count,
    crashedUserCount: row.crashed_user_count,
    moreUsers: row.more_users > 0,
    crashFreeSessions: 100 * (1 - row.crashed / row.total),
    ...(row.user_count > 0 && { crashFreeUsers: 100 * (1 - row.crashed_user_count / row.user_count) }),
    firstSessionTime: timestamp(row.first_hour * hourMs),
    lastSessionTime: timestamp(row.last_hour * hourMs),
  };
}

export function sessionCountsToProto(row: SessionCountsRow): MessageInitShape<typeof SessionCountsSchema> {
  const { total, errored, crashed, abnormal } = row;
  return {
    total: uint32(total),
    healthy: uint32(total - errored - crashed - abnormal),
    errored: uint32(errored),
    crashed: uint32(crashed),
    abnormal: uint32(abnormal),
  };
}

/** A few aggregates with absurd numbers suffice to leave the range, and must not take the whole answer along. */
function uint32(count: number): number {
  return Math.min(count, 2 ** 32 - 1);
}

export function feedbackToProto(row: FeedbackTable): MessageInitShape<typeof UserFeedbackSchema> {
  return {
    projectId: row.project_id,
    eventId: row.event_id.toString("hex"),
    name: row.name,
    email: row.email,
    comments: row.comments,
    receivedTime: timestamp(row.received_at),
  };
}
