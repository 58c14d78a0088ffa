import { bodyOf, fieldsWithin, isoTime, messageShape, orNull, present, time } from "@faultline/plugin/rest";
import {
  BreadcrumbSchema,
  EventSchema,
  EventUserSchema,
  ExceptionSchema,
  GetEventResponseSchema,
  HttpRequestSchema,
  SdkSchema,
  ThreadSchema,
  TimeBoundSchema,
  TrimSchema,
  UserFeedbackSchema,
  type GetEventResponse,
} from "@faultline/proto";
import { commit, digits, hexDigits, level } from "./error-operations.ts";

const breadcrumb = bodyOf(
  BreadcrumbSchema,
  { time: false, level: { schema: level }, data: null },
  { further: { timestamp: [orNull(time("When; null: not known.")), (crumb) => isoTime(crumb.time)] } },
);

export const feedbackFields = {
  projectId: false,
  eventId: false,
  sentId: false,
  feedbackId: false,
  errorId: false,
  errorTitle: false,
  hasEvent: false,
} as const;

/** An event without its neighbours. Its parts have the names of the schema, which are those SDKs use. */
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

/** A whole event, with its neighbours. */
export const wholeEvent = bodyOf(
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
