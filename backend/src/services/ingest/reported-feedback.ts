import { invalidField, timestamp } from "@faultline/plugin";
import { limits } from "@faultline/sentry-event";
import type { UserFeedback } from "@faultline/proto";

/** The longest texts. */
const lengths = [
  ["name", limits.text.userName],
  ["email", limits.text.email],
  ["comments", limits.text.feedback],
  ["url", limits.text.url],
  ["source", limits.text.word],
  ["environment", limits.text.environment],
  ["release", limits.text.release],
] as const;

/** Feedback that a service reports; refuses an entry that breaks a limit of error.proto. `field` names it in the refusal. */
export function reportedFeedback(entry: UserFeedback, field: string, receivedAt: number): UserFeedback {
  const { eventId, sentId } = entry;
  const isId = (id: string) => /^[0-9a-f]{32}$/.test(id);
  if (eventId !== "" && !isId(eventId)) {
    throw invalidField(`${field}.event_id`, "An event id has 32 lower-case hexadecimal digits.");
  }
  if (sentId !== "" && !isId(sentId)) {
    throw invalidField(`${field}.sent_id`, "The id of feedback has 32 lower-case hexadecimal digits.");
  }
  if (eventId === "" && sentId === "") {
    throw invalidField(
      `${field}.sent_id`,
      "Feedback without an event needs an id, so that it is recognized when it is sent again.",
    );
  }
  for (const [name, length] of lengths) {
    if (entry[name].length > length) throw invalidField(`${field}.${name}`, `It has at most ${length} characters.`);
  }
  if (entry.comments.trim() === "") throw invalidField(`${field}.comments`, "Feedback needs a text.");
  return { ...entry, receivedTime: timestamp(receivedAt) };
}
