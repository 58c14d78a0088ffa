import type { MessageInitShape } from "@bufbuild/protobuf";
import { millisecondsOf, pageSizeOf, pageToken, readPageToken, ServiceError, timestamp } from "@faultline/plugin";
import { readEvent } from "@faultline/plugin/sentry-event";
import {
  ErrorReason,
  EventPosition,
  type GetEventRequest,
  type GetEventResponseSchema,
  type ListEventsRequest,
  type ListEventsResponseSchema,
} from "@faultline/proto";
import type { Kysely } from "kysely";
import { errorNotFound, errorRowId } from "./errors.ts";
import { feedbackOf } from "./feedback.ts";
import { eventJson } from "./payload.ts";
import type { EventTable, Tables } from "./tables.ts";
import { eventSummaryToProto, feedbackToProto } from "./to-proto.ts";

/** The events of an error, newest first. */
export async function listEvents(
  database: Kysely<Tables>,
  request: ListEventsRequest,
): Promise<MessageInitShape<typeof ListEventsResponseSchema>> {
  const errorId = await existingError(database, request);
  const list = `events ${errorId}`;
  const place = readPageToken(list, request.pageToken, ["number", "number"]);
  const size = pageSizeOf(request);
  let query = database.selectFrom("integrated_event").selectAll().where("error_id", "=", errorId);
  if (request.startTime) query = query.where("occurred_at", ">=", millisecondsOf(request.startTime));
  if (request.endTime) query = query.where("occurred_at", "<", millisecondsOf(request.endTime));
  if (place)
    query = query.where(({ eb, refTuple, tuple }) => eb(refTuple("occurred_at", "id"), "<", tuple(place[0], place[1])));
  const rows = await query
    .orderBy("occurred_at", "desc")
    .orderBy("id", "desc")
    .limit(size + 1)
    .execute();
  const page = rows.slice(0, size);
  const last = page.at(-1);
  return {
    events: page.map(eventSummaryToProto),
    nextPageToken: rows.length > size && last ? pageToken(list, [last.occurred_at, last.id]) : "",
  };
}

/** One event with its neighbours in time. */
export async function getEvent(
  database: Kysely<Tables>,
  request: GetEventRequest,
): Promise<MessageInitShape<typeof GetEventResponseSchema>> {
  const row = await findEvent(database, request);
  const payload = await database
    .selectFrom("integrated_payload")
    .selectAll()
    .where("event_row_id", "=", row.id)
    .executeTakeFirstOrThrow();
  return {
    event: {
      ...readEvent(eventJson(payload), { occurredAt: row.occurred_at, user: row.user }),
      eventId: row.event_id.toString("hex"),
      errorId: String(row.error_id),
      projectId: row.project_id,
      occurredTime: timestamp(row.occurred_at),
      receivedTime: timestamp(row.received_at),
      title: row.title,
      feedback: (await feedbackOf(database, row)).map(feedbackToProto),
    },
    newerEventId: await neighbour(database, row, "newer"),
    olderEventId: await neighbour(database, row, "older"),
  };
}

async function findEvent(database: Kysely<Tables>, request: GetEventRequest): Promise<EventTable> {
  let query = database.selectFrom("integrated_event").selectAll().where("project_id", "=", request.projectId);
  if (request.eventId !== "") {
    const eventId = request.eventId.replaceAll("-", "").toLowerCase();
    if (!/^[0-9a-f]{32}$/.test(eventId)) throw eventNotFound();
    query = query.where("event_id", "=", Buffer.from(eventId, "hex"));
    if (request.errorId !== "") query = query.where("error_id", "=", errorRowId(request.errorId));
  } else {
    const direction = request.position === EventPosition.OLDEST ? "asc" : "desc";
    query = query
      .where("error_id", "=", await existingError(database, request))
      .orderBy("occurred_at", direction)
      .orderBy("id", direction)
      .limit(1);
  }
  const row = await query.executeTakeFirst();
  if (!row) throw eventNotFound();
  return row;
}

async function neighbour(database: Kysely<Tables>, row: EventTable, side: "newer" | "older"): Promise<string> {
  const direction = side === "newer" ? "asc" : "desc";
  const found = await database
    .selectFrom("integrated_event")
    .select("event_id")
    .where("error_id", "=", row.error_id)
    .where(({ eb, refTuple, tuple }) =>
      eb(refTuple("occurred_at", "id"), side === "newer" ? ">" : "<", tuple(row.occurred_at, row.id)),
    )
    .orderBy("occurred_at", direction)
    .orderBy("id", direction)
    .limit(1)
    .executeTakeFirst();
  return found?.event_id.toString("hex") ?? "";
}

/** The row id of an error that exists in the project. */
export async function existingError(
  database: Kysely<Tables>,
  { projectId, errorId }: { projectId: number; errorId: string },
): Promise<number> {
  const row = await database
    .selectFrom("integrated_error")
    .select("id")
    .where("id", "=", errorRowId(errorId))
    .where("project_id", "=", projectId)
    .executeTakeFirst();
  if (!row) throw errorNotFound();
  return row.id;
}

function eventNotFound(): ServiceError {
  return new ServiceError(
    ErrorReason.EVENT_NOT_FOUND,
    "There is no such event in this project. Events are deleted after 90 days.",
  );
}
