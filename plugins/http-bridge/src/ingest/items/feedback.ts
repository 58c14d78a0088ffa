import { randomBytes } from "node:crypto";
import { timestamp } from "@faultline/plugin";
import {
  asObject,
  limits,
  readEnvironment,
  readEventId,
  readRelease,
  readText,
  type JsonField,
  type JsonObject,
} from "@faultline/sentry-event";
import type { UserFeedback } from "@faultline/proto";
import type { ItemArrival } from "./arrival.ts";
import { leftAside, type LeftAside } from "./left-aside.ts";

/**
 * Reads a user's feedback: a `user_report` with its fields at the top level, or a `feedback`, a separate event with its
 * fields in `contexts.feedback`. It may name no event.
 */
export function readFeedback(item: JsonObject, arrival: ItemArrival): UserFeedback | LeftAside {
  const report = asObject(asObject(item["contexts"])?.["feedback"]) ?? item;
  const comments = readText(report["comments"] ?? report["message"], limits.text.feedback).trim();
  if (comments === "") return leftAside("no_text");
  const itemId = readEventId(item["event_id"]) ?? readEventId(arrival.envelopeEventId);
  const aboutId =
    report === item ? itemId : (readEventId(report["associated_event_id"]) ?? readEventId(report["event_id"]));
  return {
    $typeName: "faultline.v1.UserFeedback",
    projectId: arrival.projectId,
    eventId: aboutId ?? "",
    // Set here and not on storage, because a queue may deliver it twice. A report without an event has none.
    sentId: report === item && aboutId !== undefined ? "" : (itemId ?? randomBytes(16).toString("hex")),
    name: readText(report["name"], limits.text.userName),
    email: readText(report["email"] ?? report["contact_email"], limits.text.email),
    comments,
    url: pageOf(report["url"]),
    source: readText(report["source"], limits.text.word),
    environment: readEnvironment(item),
    release: readRelease(item),
    receivedTime: timestamp(arrival.receivedAt),
    feedbackId: 0n,
    errorId: "",
    errorTitle: "",
    hasEvent: false,
  };
}

/** The page without query and fragment, which may hold secrets, and without user and password. */
function pageOf(sent: JsonField): string {
  const text = readText(sent, limits.text.query).trim();
  const url = URL.parse(text);
  const plain = url ? `${url.protocol}//${url.host}${url.pathname}` : (text.split(/[?#]/, 1)[0] ?? "");
  return readText(plain, limits.text.url);
}
