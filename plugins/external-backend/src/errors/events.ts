import type { MessageInitShape } from "@bufbuild/protobuf";
import {
  hourMs,
  hourWindow,
  millisecondsOf,
  pageSizeOf,
  pageToken,
  type ServiceError,
  startOfHour,
  timestamp,
} from "@faultline/plugin";
import {
  EventPosition,
  type GetErrorStatsRequest,
  type GetErrorStatsResponseSchema,
  type GetEventRequest,
  type GetEventResponseSchema,
  type ListEventsRequest,
  type ListEventsResponseSchema,
} from "@faultline/proto";
import type { Asking } from "../calling/external-call.ts";
import { errorNotFound, eventNotFound } from "../calling/failures.ts";
import { externalSearch } from "./external-search.ts";
import { cursorOf, getError, partOf } from "./issues.ts";
import { readCursors, readEvent, readEventSummaries, readHourlyStats } from "../reading/index.ts";
import type { Question } from "../calling/upstream.ts";

/** How far back the external system looks for events when a window has an end alone. */
const longestWindowMs = 90 * 24 * hourMs;

/** The events of an error, newest first. */
export async function listEvents(
  asking: Asking,
  request: ListEventsRequest,
): Promise<MessageInitShape<typeof ListEventsResponseSchema>> {
  const { errorId } = request;
  const start = request.startTime && millisecondsOf(request.startTime);
  const end = request.endTime && millisecondsOf(request.endTime);
  const list = JSON.stringify([
    "external events",
    asking.projectId,
    asking.link.revision,
    errorId,
    start,
    end,
    request.query,
  ]);
  const cursor = cursorOf(list, request.pageToken);
  const events = partOf(errorId, "events");
  const window = windowOf({ start, end, now: asking.now });
  const { query = "" } = request.query === "" ? {} : externalSearch(request.query);
  const [, reply] = await Promise.all([
    getError(asking, errorId), // the list does not name the project of its events
    window &&
      asking.ask({ ...events, query: { per_page: pageSizeOf(request), cursor, query: query || undefined, ...window } }),
  ]);
  if (!reply) return { events: [], ...asking.stale };
  const { next } = readCursors(reply.headers["link"]);
  return {
    events: readEventSummaries(reply.json, request),
    nextPageToken: next === undefined ? "" : pageToken(list, [next]),
    ...asking.stale,
  };
}

/**
 * The API requires both ends of a window or none, and refuses a window that ends before it begins; for that one this
 * returns undefined.
 */
function windowOf({ start, end, now }: { start: number | undefined; end: number | undefined; now: number }) {
  if (start === undefined && end === undefined) return {};
  // Clocks of other machines may be ahead. A full hour, so that the next call has the same URL and can share the
  // answer.
  const soon = startOfHour(now) + 2 * hourMs;
  const until = Math.min(end ?? soon, soon);
  const since = Math.max(start ?? until - longestWindowMs, 0);
  if (since >= until) return undefined;
  return { start: new Date(since).toISOString(), end: new Date(until).toISOString() };
}

/** One event with its neighbours in time. */
export async function getEvent(
  asking: Asking,
  request: GetEventRequest,
): Promise<MessageInitShape<typeof GetEventResponseSchema>> {
  const { question, notFound } = eventQuestion(asking, request);
  const [reply, linked] = await Promise.all([asking.ask(question), asking.externalProjectId()]);
  const { event, issueId, externalProjectId, newerEventId, olderEventId } = readEvent(reply.json, asking);
  if (externalProjectId !== linked) throw notFound();
  if (request.errorId !== "" && issueId !== request.errorId) throw notFound();
  return { event, newerEventId, olderEventId, ...asking.stale };
}

/** The read of an event, and the refusal if there is no such event. */
function eventQuestion(
  asking: Asking,
  { eventId: given, errorId, position }: GetEventRequest,
): { question: Question; notFound: () => ServiceError } {
  if (given === "") {
    const question = partOf(errorId, "events", position === EventPosition.OLDEST ? "oldest" : "latest");
    return { question, notFound: errorNotFound };
  }
  const eventId = given.replaceAll("-", "").toLowerCase();
  if (!/^[0-9a-f]{32}$/.test(eventId)) throw eventNotFound();
  const { path } =
    errorId === "" ? { path: [...asking.projectPath, "events", eventId] } : partOf(errorId, "events", eventId);
  return { question: { path, missing: eventNotFound }, notFound: eventNotFound };
}

/** The bar graph: a dense count per hour (specification 1.6). */
export async function getErrorStats(
  asking: Asking,
  request: GetErrorStatsRequest,
): Promise<MessageInitShape<typeof GetErrorStatsResponseSchema>> {
  const { first, length, lastHourRunning } = hourWindow(request, { now: asking.now, defaultHours: 24 });
  // In seconds; the end is the last moment of the last hour.
  const query = { resolution: "1h", since: first * 3600, until: (first + length) * 3600 - 1 };
  const [reply] = await Promise.all([
    asking.ask({ ...partOf(request.errorId, "stats"), query }),
    getError(asking, request.errorId), // the answer does not name the project of its counts
  ]);
  return {
    startTime: timestamp(first * hourMs),
    counts: readHourlyStats(reply.json, { firstHour: first, hours: length }),
    lastHourRunning,
    ...asking.stale,
  };
}
