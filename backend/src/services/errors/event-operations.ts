import {
  orEmpty,
  textParam,
  byCursor,
  choiceParam,
  cursorOf,
  cursorPage,
  isoTime,
  single,
  operation,
  orNull,
  present,
  shape,
  text,
  textInPath,
  time,
  type Answer,
} from "@faultline/plugin/rest";
import { ErrorService, EventPosition, type EventSummary } from "@faultline/proto";
import { errorInPath, level } from "./error-operations.ts";
import { eventId, wholeEvent } from "./event-shape.ts";

const tag = "Errors";
const { method } = ErrorService;

const summary = shape<EventSummary>("EventSummary", "An event in a list.", {
  id: [eventId, (event) => event.eventId],
  title: [text("The event's own title."), ({ title }) => title],
  level: [level, (event) => event.level],
  user: [
    orNull(text("The affected user as counted, such as `id:42` or `ip:192.0.2.1`; an e-mail address in lower case.")),
    ({ user }) => user || null,
  ],
  release: [orNull(text("The release.")), ({ release }) => release || null],
  environment: [orNull(text("The environment.")), ({ environment }) => environment || null],
  occurred_at: [
    time("When it happened, by the sender's corrected clock."),
    ({ occurredTime }) => isoTime(occurredTime),
  ],
  received_at: [time("When it was received."), ({ receivedTime }) => isoTime(receivedTime)],
});

const payload: Answer<string> = {
  status: 200,
  description: "The event in the form of the SDK.",
  schema: { type: "object" },
  write: (json) => ({ status: 200, json }),
};

const path = {
  event_id: textInPath("The event: 32 hexadecimal digits, or 36 with hyphens.", { pattern: "^[0-9a-f]{32}$" }),
};

export const listEvents = operation(
  method.listEvents,
  "GET /projects/:project/error_tracking/errors/:error_id/events",
  {
    tag,
    summary: "List the events of an error",
    path: errorInPath,
    params: {
      query: orEmpty(textParam("Only events that match (docs/search.md).", { maxLength: 500 })),
      sort: choiceParam("The order.", ["occurred_at_desc"]),
      ...byCursor,
    },
    answer: cursorPage("The events, the newest first.", summary),
    async run({ path: { error_id: errorId }, params, invoke }) {
      const { events, nextPageToken } = await invoke({ errorId, query: params.query, ...cursorOf(params) });
      return { items: events, next: nextPageToken };
    },
  },
);

export const getLatestEvent = operation(
  method.getEvent,
  "GET /projects/:project/error_tracking/errors/:error_id/events/latest",
  {
    id: "getLatestEvent",
    tag,
    summary: "Read the newest event of an error",
    path: errorInPath,
    answer: single(200, "The event.", wholeEvent),
    run: ({ path: { error_id: errorId }, invoke }) => invoke({ errorId, position: EventPosition.NEWEST }),
  },
);

export const getOldestEvent = operation(
  method.getEvent,
  "GET /projects/:project/error_tracking/errors/:error_id/events/oldest",
  {
    id: "getOldestEvent",
    tag,
    summary: "Read the oldest event of an error that is kept",
    path: errorInPath,
    answer: single(200, "The event.", wholeEvent),
    run: ({ path: { error_id: errorId }, invoke }) => invoke({ errorId, position: EventPosition.OLDEST }),
  },
);

export const getEvent = operation(method.getEvent, "GET /projects/:project/error_tracking/events/:event_id", {
  tag,
  summary: "Read an event",
  path,
  answer: single(200, "The event.", wholeEvent),
  run: ({ path: named, invoke }) => invoke({ eventId: named.event_id }),
});

export const getEventPayload = operation(
  method.getEvent,
  "GET /projects/:project/error_tracking/events/:event_id/payload",
  {
    id: "getEventPayload",
    tag,
    summary: "Read an event as it was sent; below Maintainer, credentials, cookies and card numbers are filtered",
    path,
    answer: payload,
    run: async ({ path: named, invoke }) => present((await invoke({ eventId: named.event_id })).event).payloadJson,
  },
);
