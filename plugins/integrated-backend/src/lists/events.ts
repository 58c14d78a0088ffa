import type { MessageInitShape } from "@bufbuild/protobuf";
import {
  millisecondsOf,
  pageSizeOf,
  pageToken,
  readPageToken,
  ServiceError,
  timestamp,
  errorRowId,
} from "@faultline/plugin";
import { readEvent } from "@faultline/sentry-event";
import {
  ErrorReason,
  EventPosition,
  type GetEventRequest,
  type GetEventResponseSchema,
  type ListEventsRequest,
  type ListEventsResponseSchema,
} from "@faultline/proto";
import { sql, type AbortableQueryOptions, type SqlBool } from "kysely";
import { LoopSlices } from "@faultline/plugin/flow";
import { hidden, type EventTable } from "../tables.ts";
import { errorNotFound } from "./errors.ts";
import { eventTerms, type EventTerm, meetsAll } from "../search/event-terms.ts";
import { feedbackOf } from "./feedback.ts";
import type { Storage, SqlDialect } from "../storage.ts";
import { eventSummaryToProto, feedbackToProto } from "./to-proto.ts";
import { userNames, readEvents } from "./read-events.ts";

/** The events of an error, newest first. */
export async function listEvents(
  storage: Storage,
  request: ListEventsRequest,
  limits: Limits = {},
): Promise<MessageInitShape<typeof ListEventsResponseSchema>> {
  const errorId = errorRowId(request.errorId);
  const list = JSON.stringify(["events", errorId, request.query]);
  const place = readPageToken(list, request.pageToken, ["number", "number"]);
  const size = pageSizeOf(request);
  const { rows, stoppedAt } = await eventsOf(storage, request, { errorId, place, limit: size + 1, limits });
  const page = rows.slice(0, size);
  const last = rows.length > size ? page.at(-1) : stoppedAt;
  const names = request.userNames ? await userNames(storage, page) : undefined;
  return {
    events: page.map((row) => {
      const user = names?.get(row.id);
      return { ...eventSummaryToProto(row), ...(user && { names: user }) };
    }),
    nextPageToken: last ? pageToken(list, [last.occurred_at, last.id]) : "",
    examinedCount: stoppedAt && rows.length <= size ? examinedEvents : 0,
  };
}

async function eventsOf(
  storage: Storage,
  { projectId, startTime, endTime, query }: ListEventsRequest,
  asked: { errorId: number; place: readonly [number, number] | undefined; limit: number; limits: Limits },
): Promise<MatchingEvents> {
  const { errorId, place, limit, limits } = asked;
  const terms = query === "" ? [] : eventTerms(query);
  if (terms.length === 0) {
    const rows = await storage.nextEvents({ projectId, errorId, startTime, endTime, place, limit });
    if (!rows) throw errorNotFound();
    return { rows, stoppedAt: undefined };
  }
  await existingError(storage, { projectId, errorId: String(errorId) });
  const from = startTime ? millisecondsOf(startTime) : 0;
  const to = endTime ? millisecondsOf(endTime) : Number.MAX_SAFE_INTEGER;
  return matchingEvents(storage, { projectId, errorId, terms, direction: "older", place, from, to, limit }, limits);
}

/** One event with its neighbors in time. If the request has a query, only matching events are neighbors. */
export async function getEvent(
  storage: Storage,
  request: GetEventRequest,
  limits: Limits = {},
): Promise<MessageInitShape<typeof GetEventResponseSchema>> {
  const terms = request.query === "" ? [] : eventTerms(request.query);
  const row =
    terms.length === 0 ? await findEvent(storage, request) : await matchingEvent(storage, request, { terms, limits });
  const [json, feedback] = await Promise.all([storage.eventJson(row), feedbackOf(storage.read, row)]);
  return {
    event: {
      ...readEvent(json, { occurredAt: row.occurred_at, receivedAt: row.received_at, user: row.user }),
      eventId: row.event_id.toString("hex"),
      errorId: String(row.error_id),
      projectId: row.project_id,
      occurredTime: timestamp(row.occurred_at),
      receivedTime: timestamp(row.received_at),
      title: row.title,
      feedback: feedback.map(feedbackToProto),
      clientKeyId: row.key_id ?? 0,
    },
    newerEventId: row.newer?.toString("hex") ?? "",
    olderEventId: row.older?.toString("hex") ?? "",
    olderCount: Number(row.older_count),
  };
}

/** Maximum older events that are counted. Each is an entry of an index, and 10,000 take 2 ms on SQLite. */
const countedOlder = 10_000;

/** An event with the ids of its neighbors. Null if it has no neighbor on that side. */
type Found = EventTable & {
  readonly newer: Buffer | null;
  readonly older: Buffer | null;
  /** A string from PostgreSQL. */
  readonly older_count: number | string;
  /** Null if the client key is unknown. */
  readonly key_id: number | null;
};

/** The requested event, with the neighbors that meet all terms. */
async function matchingEvent(
  storage: Storage,
  request: GetEventRequest,
  { terms, limits }: { terms: readonly EventTerm[]; limits: Limits },
): Promise<Found> {
  const { projectId } = request;
  const walk = { projectId, terms, from: 0, to: Number.MAX_SAFE_INTEGER, limit: 1 };
  const first = async (direction: "older" | "newer", errorId: number, place?: readonly [number, number]) =>
    (await matchingEvents(storage, { ...walk, errorId, direction, place }, limits)).rows[0]?.event_id ?? null;
  let { eventId } = request;
  if (eventId === "") {
    const direction = request.position === EventPosition.OLDEST ? "newer" : "older";
    const found = await first(direction, await existingError(storage, request));
    if (!found) throw eventNotFound();
    eventId = found.toString("hex");
  }
  const row = await findEvent(storage, { ...request, eventId });
  const place = [row.occurred_at, row.id] as const;
  const newer = await first("newer", row.error_id, place);
  return { ...row, newer, older: await first("older", row.error_id, place) };
}

/** Finds an event by its id, or the newest or oldest event of an error. */
export async function findEvent(
  storage: Storage,
  request: Pick<GetEventRequest, "projectId" | "errorId" | "eventId" | "position">,
): Promise<Found> {
  const { read, dialect } = storage;
  let query = read
    .selectFrom("integrated_event")
    .selectAll()
    .select([
      neighbour(dialect, "newer").as("newer"),
      neighbour(dialect, "older").as("older"),
      olderCount(dialect).as("older_count"),
      origin(dialect).as("key_id"),
    ])
    .where("project_id", "=", request.projectId)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom("integrated_error as error")
          .select("error.id")
          .whereRef("error.id", "=", "integrated_event.error_id")
          .where("error.project_id", "=", request.projectId)
          .where("error.status", "<>", hidden),
      ),
    );
  if (request.eventId !== "") {
    const eventId = request.eventId.replaceAll("-", "").toLowerCase();
    if (!/^[0-9a-f]{32}$/.test(eventId)) throw eventNotFound();
    query = query.where("event_id", "=", Buffer.from(eventId, "hex"));
    if (request.errorId !== "") query = query.where("error_id", "=", errorRowId(request.errorId));
  } else {
    const direction = request.position === EventPosition.OLDEST ? "asc" : "desc";
    query = query
      .where("error_id", "=", await existingError(storage, request))
      .orderBy("occurred_at", direction)
      .orderBy("id", direction)
      .limit(1);
  }
  const row = await query.executeTakeFirst();
  if (!row) throw eventNotFound();
  return row;
}

function neighbour(dialect: SqlDialect, side: "newer" | "older") {
  const [beyond, direction] = side === "newer" ? [sql`>`, sql`asc`] : [sql`<`, sql`desc`];
  return sql<Buffer | null>`(select event_id from integrated_event as other
    where other.error_id = integrated_event.error_id${dialect.sameProject("other", "integrated_event")}
      and (other.occurred_at, other.id) ${beyond} (integrated_event.occurred_at, integrated_event.id)
    order by other.occurred_at ${direction}, other.id ${direction} limit 1)`;
}

function olderCount(dialect: SqlDialect) {
  return sql<number | string>`(select count(*) from (select 1 from integrated_event as other
    where other.error_id = integrated_event.error_id${dialect.sameProject("other", "integrated_event")}
      and (other.occurred_at, other.id) < (integrated_event.occurred_at, integrated_event.id)
    limit ${sql.lit(countedOlder)}) as older)`;
}

function origin(dialect: SqlDialect) {
  return sql<number | null>`(select key_id from integrated_origin as origin
    where origin.event_row_id = integrated_event.id${dialect.sameProject("origin", "integrated_event")})`;
}

/** The row id of an error that exists in the project. */
async function existingError(
  { read }: Storage,
  { projectId, errorId }: { projectId: number; errorId: string },
): Promise<number> {
  const row = await read
    .selectFrom("integrated_error")
    .select("id")
    .where("id", "=", errorRowId(errorId))
    .where("project_id", "=", projectId)
    .where("status", "<>", hidden)
    .executeTakeFirst();
  if (!row) throw errorNotFound();
  return row.id;
}

function eventNotFound(): ServiceError {
  return new ServiceError(
    ErrorReason.EVENT_NOT_FOUND,
    "This event does not exist in this project. Events are deleted after 90 days.",
  );
}

/** Events examined by one request, because an error may have millions. */
const examinedEvents = 1_000;

/** About two blocks of payloads. One request examines eight slices. */
const sliceEvents = 125;

/** Bytes of JSON read by one request: 1,000 events of 32 kB. */
const examinedBytes = 32 * 1024 * 1024;

/** The limits of a read that may take long. */
type Limits = AbortableQueryOptions;

interface Wanted {
  readonly projectId: number;
  readonly errorId: number;
  readonly terms: readonly EventTerm[];
  readonly direction: "older" | "newer";
  /** Starts after this event. Undefined to start from the newest or the oldest event. */
  readonly place: readonly [occurredAt: number, id: number] | undefined;
  /** By occurred_at, in milliseconds. */
  readonly from: number;
  readonly to: number;
  readonly limit: number;
}

/** Events that match, in the order of the walk. `stoppedAt` is the last examined event, if there are more. */
interface MatchingEvents {
  readonly rows: readonly EventTable[];
  readonly stoppedAt: EventTable | undefined;
}

/** Walks the events of an error and returns the first that meet all terms. */
async function matchingEvents(storage: Storage, wanted: Wanted, limits: Limits): Promise<MatchingEvents> {
  const found: EventTable[] = [];
  const slices = new LoopSlices();
  const reading = { signal: limits.signal, until: Infinity, bytes: examinedBytes };
  let { place } = wanted;
  for (let examined = 0; examined < examinedEvents && reading.bytes > 0; examined += sliceEvents) {
    const rows = await nextRows(storage, { ...wanted, place }, limits);
    const read = await readEvents(storage, rows, { limits: reading, slices });
    for (const event of read) {
      if (!meetsAll(event, wanted.terms)) continue;
      found.push(event.row);
      if (found.length === wanted.limit) return { rows: found, stoppedAt: undefined };
    }
    const last = rows.at(-1);
    if (!last || rows.length < sliceEvents) return { rows: found, stoppedAt: undefined };
    place = [last.occurred_at, last.id];
    if (examined + sliceEvents >= examinedEvents || reading.bytes <= 0) return { rows: found, stoppedAt: last };
  }
  return { rows: found, stoppedAt: undefined };
}

function nextRows(
  { readExpensively }: Storage,
  { projectId, errorId, direction, place, from, to }: Wanted,
  limits: Limits,
): Promise<EventTable[]> {
  const order = direction === "older" ? "desc" : "asc";
  let events = readExpensively
    .selectFrom("integrated_event")
    .selectAll()
    .where("project_id", "=", projectId)
    .where("error_id", "=", errorId)
    .where("occurred_at", ">=", from)
    .where("occurred_at", "<", to)
    .orderBy("occurred_at", order)
    .orderBy("id", order)
    .limit(sliceEvents);
  if (place) {
    const beyond = sql.raw(direction === "older" ? "<" : ">");
    events = events.where(sql<SqlBool>`(occurred_at, id) ${beyond} (${place[0]}, ${place[1]})`);
  }
  return events.execute(limits);
}
