import { timestamp } from "@faultline/plugin";
import { asObject, limits, readEventId, readText, type JsonObject } from "@faultline/sentry-event";
import type { UserFeedback } from "@faultline/proto";
import type { ItemArrival } from "./arrival.ts";

/**
 * A user's feedback: a `user_report` with its fields at the top, or a `feedback`, which is an event with them in
 * `contexts.feedback`. Undefined when it names no event or has no text: it is stored with its event or not at all.
 */
export function readFeedback(item: JsonObject, arrival: ItemArrival): UserFeedback | undefined {
  const report = asObject(asObject(item["contexts"])?.["feedback"]) ?? item;
  const eventId =
    readEventId(report["associated_event_id"]) ??
    (report === item ? (readEventId(item["event_id"]) ?? readEventId(arrival.envelopeEventId)) : undefined);
  const comments = readText(report["comments"] ?? report["message"], limits.text.feedback).trim();
  if (eventId === undefined || comments === "") return undefined;
  return {
    $typeName: "faultline.v1.UserFeedback",
    projectId: arrival.projectId,
    eventId,
    name: readText(report["name"], limits.text.userName),
    email: readText(report["email"] ?? report["contact_email"], limits.text.email),
    comments,
    receivedTime: timestamp(arrival.receivedAt),
  };
}
