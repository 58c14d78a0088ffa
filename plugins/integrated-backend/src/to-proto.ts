import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestamp } from "@faultline/plugin";
import type { ErrorSchema, EventSummarySchema } from "@faultline/proto";
import type { ErrorTable, EventTable } from "./tables.ts";

// Rows become messages here and nowhere else.

/** An error with the newest of its event times before the running hour; null while there is none. */
export type ErrorRow = ErrorTable & { readonly settled_last_seen_at: number | null };

export function errorToProto(row: ErrorRow, hourlyCounts: number[] = []): MessageInitShape<typeof ErrorSchema> {
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
    ...(row.status_changed_at !== null && { statusChangedTime: timestamp(row.status_changed_at) }),
    ...(row.reopened_at !== null && { reopenedTime: timestamp(row.reopened_at) }),
    hourlyCounts,
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
