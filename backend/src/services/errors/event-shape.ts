import {
  count,
  each,
  isoTime,
  messageShape,
  orNull,
  partOrNull,
  positive,
  present,
  shape,
  table,
  text,
  time,
  type Field,
} from "@faultline/plugin/rest";
import {
  EventUserSchema,
  ExceptionSchema,
  HttpRequestSchema,
  SdkSchema,
  ThreadSchema,
  TrimUnitSchema,
  wordOf,
  type Breadcrumb,
  type Event,
  type GetEventResponse,
  type Trim,
  type UserFeedback,
} from "@faultline/proto";
import { commit, errorIdText, level } from "./error-operations.ts";

export const eventId = text("32 lower-case hexadecimal digits.", { pattern: "^[0-9a-f]{32}$" });

const breadcrumb = shape<Breadcrumb>("Breadcrumb", "A step on the way to an error.", {
  timestamp: [orNull(time("When; null: not known.")), (crumb) => isoTime(crumb.time)],
  type: [text("Such as `http` or `navigation`."), ({ type }) => type],
  category: [text("Such as `console`; may be empty."), ({ category }) => category],
  level: [level, (crumb) => crumb.level],
  message: [text("May be empty."), ({ message }) => message],
  data: [orNull(table("Free data.", true)), ({ data }) => data ?? null],
});

const trim = shape<Trim>("Trim", "A part of an event of which not everything is shown.", {
  part: [text("Such as `breadcrumbs` or `extra.cart`."), (cut) => cut.part],
  kept: [count("How much is shown."), ({ kept }) => kept],
  sent: [count("How much was sent."), ({ sent }) => sent],
  unit: [
    { type: ["string", "null"], enum: ["characters", "entries", null], description: "The unit of the two." },
    ({ unit }) => wordOf(TrimUnitSchema, unit) ?? null,
  ],
});

const timeBound = shape<NonNullable<Event["timeBound"]>>(
  "TimeBound",
  "The event was sent with a time outside the bounds, and `occurred_at` is the bound.",
  {
    sent_at: [
      orNull(time("The time that was sent, by the sender's clock; null: the payload gives none.")),
      ({ sentTime }) => isoTime(sentTime),
    ],
  },
);

export const feedbackFields = {
  name: [text("May be empty."), ({ name }) => name],
  email: [text("May be empty."), ({ email }) => email],
  comments: [text("The text."), ({ comments }) => comments],
  url: [text("The page on which it was written. May be empty."), ({ url }) => url],
  source: [text("What it was written with, such as `widget`. May be empty."), ({ source }) => source],
  environment: [text("May be empty."), ({ environment }) => environment],
  release: [text("May be empty."), ({ release }) => release],
  received_at: [time("When it was received."), ({ receivedTime }) => isoTime(receivedTime)],
} satisfies Record<string, Field<UserFeedback>>;

const feedback = shape<UserFeedback>("Feedback", "What a user wrote about an event.", feedbackFields);

/** Reads a field of the event, in a response that also names its neighbours. */
const of =
  <Value>(value: (event: Event) => Value) =>
  ({ event }: GetEventResponse) =>
    value(present(event));

const textOrNull = (description: string, value: (event: Event) => string, more = {}): Field<GetEventResponse> => [
  orNull(text(description, more)),
  of((event) => value(event) || null),
];

/** A whole event. Its parts have the names of the schema, which are those SDKs use. */
export const wholeEvent = shape<GetEventResponse>(
  "Event",
  "An event, whole. What limits cut is named in `trimmed`; the payload holds it.",
  {
    id: [eventId, of((event) => event.eventId)],
    error_id: [errorIdText, of((event) => event.errorId)],
    project_id: [positive("The project."), of(({ projectId }) => projectId)],
    title: [text("Its own title."), of(({ title }) => title)],
    culprit: [text("Where it happened; may be empty."), of(({ culprit }) => culprit)],
    level: [level, of((event) => event.level)],
    platform: [text("The SDK's platform, such as `node`."), of(({ platform }) => platform)],
    occurred_at: [
      time("When it happened, by the sender's corrected clock."),
      of(({ occurredTime }) => isoTime(occurredTime)),
    ],
    received_at: [time("When it was received."), of(({ receivedTime }) => isoTime(receivedTime))],
    message: textOrNull("The message with its parameters filled in.", ({ message }) => message),
    message_template: textOrNull("The message before.", ({ messageTemplate }) => messageTemplate),
    logger: textOrNull("The logger.", ({ logger }) => logger),
    transaction: textOrNull("The route or task.", ({ transaction }) => transaction),
    release: textOrNull("The release.", ({ release }) => release),
    commit: textOrNull("Its commit; null: not known.", (event) => event.commit, commit),
    environment: textOrNull("The environment.", ({ environment }) => environment),
    server_name: textOrNull("The sender's host name.", ({ serverName }) => serverName),
    exceptions: each(
      messageShape(ExceptionSchema),
      of(({ exceptions }) => exceptions),
      { description: "Root cause first, the one that was caught last." },
    ),
    threads: each(
      messageShape(ThreadSchema),
      of(({ threads }) => threads),
    ),
    breadcrumbs: each(
      breadcrumb,
      of(({ breadcrumbs }) => breadcrumbs),
      { description: "What happened before, the oldest first." },
    ),
    user: partOrNull(
      messageShape(EventUserSchema),
      of(({ user }) => user),
    ),
    request: partOrNull(
      messageShape(HttpRequestSchema),
      of(({ request }) => request),
    ),
    sdk: partOrNull(
      messageShape(SdkSchema),
      of(({ sdk }) => sdk),
    ),
    tags: [table("Tags by key.", { type: "string" }), of(({ tags }) => tags)],
    contexts: [table("Such as os, runtime and device.", true), of(({ contexts }) => contexts ?? {})],
    extra: [table("Free data of the application.", true), of(({ extra }) => extra ?? {})],
    modules: [table("Packages and their versions.", { type: "string" }), of(({ modules }) => modules)],
    trimmed: each(
      trim,
      of(({ trimmed }) => trimmed),
    ),
    time_bound: partOrNull(
      timeBound,
      of((event) => event.timeBound),
    ),
    feedback: each(
      feedback,
      of((event) => event.feedback),
      { description: "What users wrote about it, the oldest first." },
    ),
    newer_event_id: [orNull(eventId), ({ newerEventId }) => newerEventId || null],
    older_event_id: [orNull(eventId), ({ olderEventId }) => olderEventId || null],
  },
);
