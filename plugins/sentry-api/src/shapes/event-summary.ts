import type { Error as TrackedError, EventSummary } from "@faultline/proto";
import { isoTime } from "../times.ts";
import { tagList } from "./tags.ts";

/** An event in a list. Culprit and platform are those of its issue, as they are not stored per event. */
export function eventSummaryShape(event: EventSummary, error: TrackedError): object {
  const { level, release, environment, user } = event;
  return {
    id: event.eventId,
    eventID: event.eventId,
    groupID: error.errorId,
    projectID: String(error.projectId),
    "event.type": error.type === "" ? "default" : "error",
    title: event.title,
    message: event.title,
    location: null,
    culprit: error.culprit,
    platform: error.platform,
    dateCreated: isoTime(event.occurredTime),
    dateReceived: isoTime(event.receivedTime),
    user: userOf(user),
    tags: tagList({ level, release, environment, user }),
    crashFile: null,
    metadata: null,
  };
}

/** The user from a key such as `id:42`. */
function userOf(key: string): object | null {
  const [, kind = "", name] = /^(id|username|email|ip):(.*)$/s.exec(key) ?? [];
  if (name === undefined) return null;
  const field = kind === "ip" ? "ip_address" : kind;
  return { id: null, username: null, email: null, ip_address: null, name: null, data: null, [field]: name };
}
