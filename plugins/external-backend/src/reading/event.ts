import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestamp } from "@faultline/plugin";
import type { EventSchema, UserFeedbackSchema, EventSummarySchema } from "@faultline/proto";
import {
  asObject,
  type JsonField,
  type JsonValue,
  limits,
  readEvent as readSentEvent,
  readEventId,
  type JsonObject,
  readEnvironment,
  readLevel,
  readRelease,
  readUserKey,
  readUserNames,
  userKey,
} from "@faultline/sentry-event";
import { eventForm, sentTags } from "./event-form.ts";
import {
  feedbackOf,
  type FeedbackEvent,
  feedbackOfFaultline,
  timeBoundOfFaultline,
  trimsOfFaultline,
} from "./faultline.ts";
import {
  type ReadingContext,
  idOf,
  nameOf,
  objectOf,
  requiredId,
  readCommit,
  readItems,
  textOf,
  timeOf,
  missingKeys,
} from "./fields.ts";
import { withSentStacks } from "./sent-stacks.ts";

/** A whole event, its neighbours among the events of its issue, and the external ids of its issue and project. */
interface ReadEvent {
  readonly event: MessageInitShape<typeof EventSchema>;
  /** Empty if this event is the newest. */
  readonly newerEventId: string;
  /** Empty if this event is the oldest. */
  readonly olderEventId: string;
  readonly issueId: string;
  /** Empty if the system does not report it. */
  readonly externalProjectId: string;
}

/** Reads an event. `payloadJson` is the answer itself, the closest thing to the event as it was sent. */
export function readEvent(json: JsonValue, { projectId }: ReadingContext): ReadEvent {
  const sent = objectOf(json);
  const { eventId, occurredAt, receivedAt } = readEventHead(sent);
  const issueId = requiredId(sent, "groupID");
  const details = readSentEvent(JSON.stringify(eventForm(sent)), { occurredAt });
  const feedbackEvent = { projectId, eventId, receivedAt };
  return {
    event: {
      ...details,
      ...withSentStacks(details, sent),
      eventId,
      errorId: issueId,
      projectId,
      occurredTime: timestamp(occurredAt),
      receivedTime: timestamp(receivedAt),
      culprit: nameOf(sent["culprit"], limits.text.culprit) || details.culprit,
      commit: readCommit(sent["release"]) || details.commit,
      payloadJson: payloadOf(sent),
      feedback: feedbackOfFaultline(sent, feedbackEvent) ?? reportOf(sent["userReport"], feedbackEvent),
      trimmed: [...trimsOfFaultline(sent), ...(details.trimmed ?? [])],
      timeBound: timeBoundOfFaultline(sent),
    },
    newerEventId: readEventId(sent["nextEventID"]) ?? "",
    olderEventId: readEventId(sent["previousEventID"]) ?? "",
    issueId,
    externalProjectId: idOf(sent, "projectID"),
  };
}

/**
 * An answer has at most 1 MiB; written again it may be longer, such as `1e20`. A payload that is too long is left out
 * whole.
 */
function payloadOf(sent: JsonValue): string {
  const text = JSON.stringify(sent).toWellFormed();
  return text.length > maxPayload ? "" : text;
}

const maxPayload = 2 * 1024 * 1024;

type Feedback = MessageInitShape<typeof UserFeedbackSchema>;

/** The user report of an event: the API shows at most one. */
function reportOf(sent: JsonField, known: FeedbackEvent): Feedback[] {
  const report = asObject(sent);
  const feedback = report && feedbackOf(report, known);
  return feedback && feedback.comments?.trim() !== "" ? [feedback] : [];
}

/** A page of the events of an issue, at most 100; with the names of their users where these are asked for. */
export function readEventSummaries(
  json: JsonValue,
  { userNames = false }: { userNames?: boolean } = {},
): MessageInitShape<typeof EventSummarySchema>[] {
  return readItems(
    json,
    (sent) => readSummary(sent, userNames),
    ({ eventId }) => eventId,
  );
}

function readSummary(sent: JsonObject, userNames: boolean): MessageInitShape<typeof EventSummarySchema> {
  const { eventId, occurredAt, receivedAt } = readEventHead(sent);
  const tags = sentTags(sent);
  const { user = null } = sent;
  const names = readUserNames({ user });
  return {
    eventId,
    occurredTime: timestamp(occurredAt),
    receivedTime: timestamp(receivedAt),
    title: nameOf(sent["title"], limits.text.title) || "<unlabeled event>",
    user: userKey(names) || readUserKey(textOf(tags.get("user"), limits.text.userName)),
    release: readRelease({ release: textOf(tags.get("release"), limits.text.release) }),
    environment: readEnvironment({ environment: textOf(tags.get("environment"), limits.text.environment) }),
    level: readLevel(tags.get("level")),
    ...(userNames && userKey(names) !== "" && { names }),
  };
}

/** The identity of an event: its id and its times. Refuses an event without them. */
function readEventHead(sent: JsonObject): { eventId: string; occurredAt: number; receivedAt: number } {
  const eventId = readEventId(sent["eventID"]);
  const created = timeOf(sent["dateCreated"]);
  const received = timeOf(sent["dateReceived"]);
  const occurredAt = created ?? received;
  const receivedAt = received ?? created;
  if (eventId === undefined) throw missingKeys("eventID");
  if (occurredAt === undefined || receivedAt === undefined) throw missingKeys("dateCreated");
  return { eventId, occurredAt, receivedAt };
}
