import type { Error as TrackedError, EventSummary } from "@faultline/proto";
import { isoTime } from "../times.ts";
import { tagList } from "./tags.ts";

/** An event in a list. Culprit and platform come from its issue, because they are not stored per event. */
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
    user: userOf(event),
    tags: tagList({ level, release, environment, user }),
    crashFile: null,
    metadata: null,
  };
}

/** The user by all known names, otherwise by a key such as `id:42`. */
function userOf({ user: key, names }: EventSummary): object | null {
  const nobody = { id: null, username: null, email: null, ip_address: null, name: null, data: null };
  if (names) {
    const { id, username, email, ipAddress } = names;
    const named = Object.entries({ id, username, email, ip_address: ipAddress }).filter(([, name]) => name !== "");
    return { ...nobody, ...Object.fromEntries(named) };
  }
  const [, kind = "", name] = /^(id|username|email|ip):(.*)$/s.exec(key) ?? [];
  return name === undefined ? null : { ...nobody, [kind === "ip" ? "ip_address" : kind]: name };
}
