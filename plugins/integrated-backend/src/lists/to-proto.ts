import type { MessageInitShape } from "@bufbuild/protobuf";
import { hourMs, sameNamed, timestamp } from "@faultline/plugin";
import { commitOf, publicName } from "@faultline/sentry-event";
import {
  DeletionSchema,
  DiscardSchema,
  ErrorSchema,
  EventSummarySchema,
  UserFeedbackSchema,
  type DiscardEndSchema,
  type ReleaseSchema,
  type SessionCountsSchema,
} from "@faultline/proto";
import { type Selectable, sql } from "kysely";
import { otherErrorsHash } from "../event/summary.ts";
import type {
  DeletionTable,
  DiscardSampleTable,
  DiscardTable,
  ErrorTable,
  EventTable,
  FeedbackTable,
} from "../tables.ts";
import type { SqlDialect } from "../storage.ts";

// Rows become messages only in this file. Fields with a column of the same name are not listed.

/** An error with the columns added by withSettledLastSeen. */
export type ErrorRow = ErrorTable & {
  /** The newest event time before the current hour. Null if there is none. */
  readonly settled_last_seen_at: number | null;
  /** The number of tags beyond the caps of one error. Null if there are none. */
  readonly other_tag_count: number | null;
  readonly other_user_count: number | null;
  /** The number of events that spike protection did not store. Null if there are none. */
  readonly sampled_out_count: number | null;
  /** Null if the error did not split off, or split off from a deleted error. */
  readonly split_from_id: number | null;
  readonly split_at: number | null;
  /** A JSON list of row ids. Null or empty if no errors were joined. */
  readonly joined_ids: string | null;
  /** Null if no other error takes its events. */
  readonly joined_to_id: number | null;
};

export function errorToProto(row: ErrorRow, trend?: Trend): MessageInitShape<typeof ErrorSchema> {
  return {
    ...sameNamed(ErrorSchema, row),
    // Errors that an earlier release stored may have addresses with secrets until their next event.
    title: publicName(row.title),
    value: publicName(row.value),
    culprit: publicName(row.culprit),
    errorId: String(row.id),
    affectedUserCount: row.user_count,
    firstSeenTime: timestamp(row.first_seen_at),
    lastSeenTime: timestamp(row.last_seen_at),
    ...(row.settled_last_seen_at !== null && { settledLastSeenTime: timestamp(row.settled_last_seen_at) }),
    firstCommit: commitOf(row.first_release),
    lastCommit: commitOf(row.last_release),
    ...(row.status_changed_at !== null && { statusChangedTime: timestamp(row.status_changed_at) }),
    ...(row.reopened_at !== null && { reopenedTime: timestamp(row.reopened_at) }),
    holdsOtherErrors: row.group_hash.toString("hex") === otherErrorsHash,
    otherTagCount: uint32(row.other_tag_count ?? 0),
    otherUserCount: uint32(row.other_user_count ?? 0),
    sampledOutCount: uint32(row.sampled_out_count ?? 0),
    splitFromErrorId: row.split_from_id === null ? "" : String(row.split_from_id),
    ...(row.split_at !== null && { splitFromTime: timestamp(row.split_at) }),
    joinedErrorIds: row.joined_ids === null ? [] : (JSON.parse(row.joined_ids) as number[]).map(String),
    joinedToErrorId: row.joined_to_id === null ? "" : String(row.joined_to_id),
    ...(trend && { hourlyCounts: trend.counts, hourlyCountsStartTime: timestamp(trend.first * hourMs) }),
  };
}

export function eventSummaryToProto(row: EventTable): MessageInitShape<typeof EventSummarySchema> {
  return {
    ...sameNamed(EventSummarySchema, row),
    title: publicName(row.title),
    eventId: row.event_id.toString("hex"),
    occurredTime: timestamp(row.occurred_at),
    receivedTime: timestamp(row.received_at),
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
  /** 1 if further users were counted together. */
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

/**
 * Limits a count to the range of uint32. A few aggregates with absurd numbers exceed it, and must not fail the whole
 * response.
 */
function uint32(count: number): number {
  return Math.min(count, 2 ** 32 - 1);
}

export function feedbackToProto(row: FeedbackTable): MessageInitShape<typeof UserFeedbackSchema> {
  return {
    ...sameNamed(UserFeedbackSchema, row),
    errorId: "", // the event has it
    eventId: row.event_id.toString("hex"),
    receivedTime: timestamp(row.received_at),
  };
}

/** Feedback with its error. */
export type FeedbackRow = FeedbackTable & {
  /** The error of the event. Null if the event is not stored. */
  readonly event_error_id: number | null;
  /** Null if the error does not exist or no longer exists. */
  readonly shown_error_id: number | null;
  readonly error_title: string | null;
};

export function listedFeedbackToProto(row: FeedbackRow): MessageInitShape<typeof UserFeedbackSchema> {
  return {
    ...feedbackToProto(row),
    feedbackId: BigInt(row.id),
    errorId: row.shown_error_id === null ? "" : String(row.shown_error_id),
    errorTitle: row.error_title ?? "",
    hasEvent: row.event_error_id !== null,
  };
}

/** `undoEndsAt` uses the ordinary clock. Undefined if the deletion cannot be undone. */
export function deletionToProto(
  row: Selectable<DeletionTable>,
  undoEndsAt: number | undefined,
): MessageInitShape<typeof DeletionSchema> {
  return {
    ...sameNamed(DeletionSchema, row),
    deletionId: row.id,
    allMatching: row.all_matching === 1,
    eventCount: BigInt(row.event_count),
    erasedEventCount: BigInt(row.erased_event_count),
    createdTime: timestamp(row.created_at),
    ...(undoEndsAt !== undefined && { undoEndTime: timestamp(undoEndsAt) }),
    ...(row.finished_at !== null && { finishedTime: timestamp(row.finished_at) }),
    discarded: row.discard_end !== "",
  };
}

/** `samples` include their JSON, newest first. */
export function discardToProto(
  row: Selectable<DiscardTable>,
  hourlyCounts: number[] = [],
  samples: readonly (DiscardSampleTable & { readonly json: Buffer })[] = [],
): MessageInitShape<typeof DiscardSchema> {
  return {
    ...sameNamed(DiscardSchema, row),
    discardId: row.id,
    createdTime: timestamp(row.created_at),
    ...discardEndOf(row),
    ...(row.ended_at !== null && { endedTime: timestamp(row.ended_at) }),
    stoppedCount: BigInt(row.stopped_count),
    ...(row.last_stopped_at !== null && { lastStoppedTime: timestamp(row.last_stopped_at) }),
    hourlyCounts,
    samples: samples.map(({ received_at, event_id, json }) => ({
      receivedTime: timestamp(received_at),
      eventId: event_id.toString("hex"),
      payload: json.toString(),
    })),
  };
}

function discardEndOf({ ends_at, ends_after, ends_with_release }: Selectable<DiscardTable>): {
  end?: MessageInitShape<typeof DiscardEndSchema>;
} {
  if (ends_at !== null) return { end: { end: { case: "time", value: timestamp(ends_at) } } };
  if (ends_after !== null) return { end: { end: { case: "eventCount", value: ends_after } } };
  if (ends_with_release !== "") return { end: { end: { case: "release", value: ends_with_release } } };
  return {};
}

const trendHours = 24;

/** Events in each of the last 24 hours, oldest first. */
interface Trend {
  /** The first hour, counted from 1970. */
  readonly first: number;
  readonly counts: number[];
}

/** The first hour of a trend that ends with the current hour. */
export const firstTrendHour = (now: number) => Math.floor(now / hourMs) - trendHours + 1;

/** The hours of an error with their counts, as JSON: one more column instead of another statement. */
export function hoursSince(dialect: SqlDialect, first: number) {
  return sql<string>`(select ${dialect.hourList} from integrated_hour
    where error_id = integrated_error.id${dialect.sameProject("integrated_hour", "integrated_error")} and hour >= ${first})`;
}

/** A trend from the value of that column. */
export function trendOf(hours: string, first: number): Trend {
  const counts = Array.from({ length: trendHours }, () => 0);
  for (const [hour, count] of JSON.parse(hours) as [number, number][]) {
    if (hour - first < trendHours) counts[hour - first] = count;
  }
  return { first, counts };
}
