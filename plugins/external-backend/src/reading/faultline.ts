import { type MessageInitShape } from "@bufbuild/protobuf";
import { timestamp } from "@faultline/plugin";
import { asObject, type JsonField, type JsonObject, limits, readEventId, readTime } from "@faultline/sentry-event";
import { type TimeBoundSchema, type TrimSchema, TrimUnit, type UserFeedbackSchema } from "@faultline/proto";
import { countOf, textOf, timeOf } from "./fields.ts";

/**
 * The field `faultline`, in which another Faultline sends what Sentry has no fields for (docs/sentry-api.md), so that
 * its errors look as they do at home. Any system may send it; it is trusted no more than the rest.
 */
const beyondSentry = (sent: JsonObject): JsonObject | undefined => asObject(sent["faultline"]);

/** The time of the newest event before the running hour; undefined if the field does not have it. */
export function statedSettledTime(issue: JsonObject, running: number): number | undefined {
  const settled = timeOf(beyondSentry(issue)?.["settledLastSeen"]);
  return settled !== undefined && settled < running ? settled : undefined;
}

/** When an event reopened the issue; undefined if the field does not have it. */
export const statedReopenedTime = (issue: JsonObject): number | undefined => timeOf(beyondSentry(issue)?.["reopened"]);

/** What another Faultline sends of a tag; undefined if the field is missing. */
export function statedTag(tag: JsonObject): { readonly searchable: boolean; readonly usualEvents: number } | undefined {
  const stated = beyondSentry(tag);
  return stated && { searchable: stated["searchable"] === true, usualEvents: countOf(stated["usualEvents"]) };
}

/** The share that a value of a tag usually has, from 0 to 1; undefined if the field does not have it. */
export function statedUsualShare(value: JsonObject): number | undefined {
  const share = beyondSentry(value)?.["usualShare"];
  return typeof share === "number" && share >= 0 && share <= 1 ? share : undefined;
}

/** The newest event of a user; empty if the field does not have it. */
export const statedNewestEvent = (user: JsonObject): string => readEventId(beyondSentry(user)?.["newestEvent"]) ?? "";

/** The parts of the event that the other system left out. */
export function trimsOfFaultline(event: JsonObject): MessageInitShape<typeof TrimSchema>[] {
  return list(beyondSentry(event)?.["trimmed"], limits.count.trims).map((trim) => ({
    part: textOf(trim["part"], limits.text.symbol),
    kept: countOf(trim["kept"]),
    sent: countOf(trim["sent"]),
    unit: unitOf(trim["unit"]),
  }));
}

/** The event's own time, if the other system replaced it by a bound. */
export function timeBoundOfFaultline(event: JsonObject): MessageInitShape<typeof TimeBoundSchema> | undefined {
  const bound = asObject(beyondSentry(event)?.["timeBound"]);
  if (!bound) return undefined;
  const sentAt = readTime(bound["sent"]); // it may be as absurd as the sender's clock
  return sentAt === undefined ? {} : { sentTime: timestamp(sentAt) };
}

const unitOf = (value: JsonField): TrimUnit =>
  value === "characters" ? TrimUnit.CHARACTERS : value === "entries" ? TrimUnit.ENTRIES : TrimUnit.UNSPECIFIED;

const maxFeedback = 20;

/** The event that the feedback is about. */
export interface FeedbackEvent {
  readonly projectId: number;
  readonly eventId: string;
  /** When it was received, for feedback that has no time. */
  readonly receivedAt: number;
}

/** User feedback about the event, oldest first; undefined if only Sentry's field has some. */
export function feedbackOfFaultline(
  event: JsonObject,
  known: FeedbackEvent,
): MessageInitShape<typeof UserFeedbackSchema>[] | undefined {
  const sent = beyondSentry(event)?.["feedback"];
  if (!Array.isArray(sent)) return undefined;
  return list(sent, maxFeedback).map((entry) => feedbackOf(entry, known));
}

/** One entry; Sentry's field `userReport` has the same form. */
export function feedbackOf(
  entry: JsonObject,
  { projectId, eventId, receivedAt }: FeedbackEvent,
): MessageInitShape<typeof UserFeedbackSchema> {
  return {
    projectId,
    eventId,
    name: textOf(entry["name"], limits.text.userName),
    email: textOf(entry["email"], limits.text.email),
    comments: textOf(entry["comments"], limits.text.feedback),
    receivedTime: timestamp(timeOf(entry["dateCreated"]) ?? receivedAt),
  };
}

function list(value: JsonField, max: number): JsonObject[] {
  const sent = Array.isArray(value) ? value.slice(0, max) : [];
  return sent.map(asObject).filter((entry) => entry !== undefined);
}
