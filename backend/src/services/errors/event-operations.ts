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
import { ErrorService, EventPosition, EventSummarySchema, type GetEventResponse } from "@faultline/proto";
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

const payload: Answer<GetEventResponse> = {
  status: 200,
  description: "The event in the form of the SDK.",
  schema: { type: "object" },
  taking: () => (response) => response,
  write: ({ event }) => ({ status: 200, json: present(event).payloadJson }),
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
    params: {},
    fixed: { position: EventPosition.NEWEST },
    answer: single(200, "The event.", wholeEvent),
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
    params: {},
    fixed: { position: EventPosition.OLDEST },
    answer: single(200, "The event.", wholeEvent),
  },
);

export const getEvent = operation(method.getEvent, "GET /projects/:project/error_tracking/events/:event_id", {
  tag,
  summary: "Read an event",
  path,
  params: {},
  answer: single(200, "The event.", wholeEvent),
});

export const getEventPayload = operation(
  method.getEvent,
  "GET /projects/:project/error_tracking/events/:event_id/payload",
  {
    id: "getEventPayload",
    tag,
    summary: "Read an event as it was sent; below Maintainer, credentials, cookies and card numbers are filtered",
    path,
    params: {},
    answer: payload,
  },
);
