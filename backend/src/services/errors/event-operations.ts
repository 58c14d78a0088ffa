import {
  bodyOf,
  choiceParam,
  cursorPage,
  operation,
  paramsOf,
  present,
  single,
  textInPath,
  type Answer,
} from "@faultline/plugin/rest";
import { ErrorService, EventPosition, EventSummarySchema } from "@faultline/proto";
import { errorInPath, hexDigits, level } from "./error-operations.ts";
import { wholeEvent } from "./event-shape.ts";

const tag = "Errors";
const { method } = ErrorService;

const summary = bodyOf(EventSummarySchema, {
  eventId: { as: "id", schema: hexDigits },
  user: null,
  release: null,
  environment: null,
  level: { schema: level },
  names: false,
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
      ...paramsOf(method.listEvents.input, { query: { maxLength: 500 }, userNames: false }),
      sort: choiceParam("The order.", ["occurred_at_desc"]),
    },
    answer: cursorPage("The events, the newest first.", summary),
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
