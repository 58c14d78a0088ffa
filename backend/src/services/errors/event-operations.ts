import {
  type Answer,
  bodyOf,
  choiceParam,
  cursorPage,
  fieldsWithin,
  isoTime,
  messageShape,
  operation,
  orNull,
  paramsOf,
  present,
  single,
  textInPath,
  time,
} from "@faultline/plugin/rest";
import {
  BreadcrumbSchema,
  ErrorService,
  EventPosition,
  EventSchema,
  EventSummarySchema,
  EventUserSchema,
  ExceptionSchema,
  type GetEventResponse,
  GetEventResponseSchema,
  HttpRequestSchema,
  SdkSchema,
  ThreadSchema,
  TimeBoundSchema,
  TrimSchema,
  UserFeedbackSchema,
} from "@faultline/proto";
import { commit, digits, errorInPath, hexDigits, level } from "./error-operations.ts";

const tag = "Errors";
const { method } = ErrorService;

const breadcrumb = bodyOf(
  BreadcrumbSchema,
  { time: false, level: { schema: level }, data: null },
  { further: { timestamp: [orNull(time("When; null: not known.")), (crumb) => isoTime(crumb.time)] } },
);

const feedbackFields = {
  projectId: false,
  eventId: false,
  sentId: false,
  feedbackId: false,
  errorId: false,
  errorTitle: false,
  hasEvent: false,
} as const;

/** An event without its neighbors. Its parts have the names of the schema, which SDKs use. */
const event = bodyOf(
  EventSchema,
  {
    eventId: { as: "id", schema: hexDigits },
    errorId: { schema: digits },
    level: { schema: level },
    message: null,
    messageTemplate: null,
    logger: null,
    transaction: null,
    release: null,
    commit: { orNull: true, schema: commit },
    environment: null,
    serverName: null,
    exceptions: { of: messageShape(ExceptionSchema) },
    threads: { of: messageShape(ThreadSchema) },
    breadcrumbs: { of: breadcrumb },
    user: { of: messageShape(EventUserSchema), orNull: true },
    request: { of: messageShape(HttpRequestSchema), orNull: true },
    sdk: { of: messageShape(SdkSchema), orNull: true },
    payloadJson: false,
    trimmed: { of: bodyOf(TrimSchema, { unit: null }) },
    feedback: { of: bodyOf(UserFeedbackSchema, feedbackFields, { name: "Feedback" }) },
    timeBound: { of: bodyOf(TimeBoundSchema, { sentTime: null }), orNull: true },
    clientKeyId: null,
  },
  { name: null },
);

/** A whole event, with its neighbors. */
const wholeEvent = bodyOf(
  GetEventResponseSchema,
  {
    event: false,
    newerEventId: { orNull: true, schema: hexDigits },
    olderEventId: { orNull: true, schema: hexDigits },
    staleSinceTime: null,
  },
  {
    name: "Event",
    description: "An event, whole. What limits cut is named in `trimmed`; the payload holds it.",
    further: fieldsWithin(event.fields, ({ event: found }: GetEventResponse) => present(found)),
  },
);

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
  write: (response) => ({ status: 200, json: present(response.event).payloadJson }),
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

const listedFeedback = bodyOf(
  UserFeedbackSchema,
  {
    ...feedbackFields,
    feedbackId: "id",
    eventId: { orNull: true, schema: hexDigits },
    errorId: { orNull: true, schema: digits },
    errorTitle: null,
  },
  { name: "ListedFeedback" },
);

export const listFeedback = operation(method.listFeedback, "GET /projects/:project/error_tracking/feedback", {
  tag: "Feedback",
  summary: "List what users wrote",
  answer: cursorPage("What users wrote, the newest first.", listedFeedback),
});
