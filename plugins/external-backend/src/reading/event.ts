import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestamp } from "@faultline/plugin";
import {
  asObject,
  type JsonField,
  type JsonValue,
  limits,
  readEvent as readSentEvent,
  readEventId,
} from "@faultline/sentry-event";
import type { EventSchema, UserFeedbackSchema } from "@faultline/proto";
import type { ReadingContext } from "./context.ts";
import { eventForm } from "./event-form.ts";
import { readEventHead } from "./event-summary.ts";
import {
  feedbackOf,
  type FeedbackEvent,
  feedbackOfFaultline,
  timeBoundOfFaultline,
  trimsOfFaultline,
} from "./faultline.ts";
import { idOf, nameOf, objectOf, requiredId } from "./fields.ts";
import { readCommit } from "./release.ts";
import { withSentStacks } from "./sent-stacks.ts";

/** A whole event, its neighbours among the events of its issue, and the external ids of its issue and project. */
export interface ReadEvent {
  readonly event: MessageInitShape<typeof EventSchema>;
  /** Empty: this event is the newest. */
  readonly newerEventId: string;
  /** Empty: this event is the oldest. */
  readonly olderEventId: string;
  readonly issueId: string;
  /** Empty: the system does not report it. */
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
 * An answer has at most 1 MiB; written again it may be longer, as `1e20` is. A payload that is too long is left out
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
