import { shownException, userKey } from "@faultline/sentry-event";
import { TrimUnit, type Event, type GetEventResponse, type Trim, type UserFeedback } from "@faultline/proto";
import { isoTime } from "../times.ts";
import { entriesOf } from "./entries.ts";
import { releaseShape, typeAndMetadata } from "./issue.ts";
import { tagList } from "./tags.ts";

/** A whole event with its neighbors; next is the newer event. */
export function eventShape({ event, newerEventId, olderEventId }: GetEventResponse): object {
  if (!event) return {}; // the core returns whole messages
  return {
    id: event.eventId,
    eventID: event.eventId,
    groupID: event.errorId,
    projectID: String(event.projectId),
    size: Buffer.byteLength(event.payloadJson),
    dist: null,
    title: event.title,
    message: event.message,
    culprit: event.culprit,
    location: null,
    platform: event.platform,
    ...kindOf(event),
    dateCreated: isoTime(event.occurredTime),
    dateReceived: isoTime(event.receivedTime),
    entries: entriesOf(event),
    tags: tagList(tagsOf(event)),
    user: event.user
      ? {
          id: event.user.id || null,
          username: event.user.username || null,
          email: event.user.email || null,
          ip_address: event.user.ipAddress || null,
          name: null,
          data: event.user.data ?? null,
        }
      : null,
    contexts: event.contexts ?? {},
    context: event.extra ?? {},
    packages: event.modules,
    sdk: event.sdk ? { name: event.sdk.name, version: event.sdk.version } : null,
    sdkUpdates: [],
    release: releaseShape(event.release, event.commit),
    errors: [],
    fingerprints: [],
    crashFile: null,
    userReport: reportOf(event.feedback.at(-1)),
    // Fields that Sentry does not have. With them, another Faultline shows the event exactly like this one.
    faultline: {
      trimmed: event.trimmed.map(trimShape),
      feedback: event.feedback.map(reportOf),
      timeBound: event.timeBound ? { sent: isoTime(event.timeBound.sentTime) } : null,
    },
    _meta: {},
    nextEventID: newerEventId || null,
    previousEventID: olderEventId || null,
  };
}

function kindOf({ exceptions, title, message }: Event): object {
  const thrown = shownException(exceptions);
  const kind = typeAndMetadata({ type: thrown?.type ?? "", value: thrown?.value ?? message, title });
  return thrown && thrown.type === "" ? { type: "error", metadata: { type: "", value: thrown.value } } : kind;
}

/** The tags of an event, plus the fields that the original stores as tags. */
function tagsOf(event: Event): Record<string, string> {
  const { level, release, environment, logger, transaction } = event;
  const own = {
    level,
    release,
    environment,
    logger,
    transaction,
    server_name: event.serverName,
    user: event.user ? userKey(event.user) : "",
  };
  return { ...event.tags, ...Object.fromEntries(Object.entries(own).filter(([, value]) => value !== "")) };
}

function trimShape({ part, kept, sent, unit }: Trim): object {
  const counted = unit === TrimUnit.CHARACTERS ? "characters" : unit === TrimUnit.ENTRIES ? "entries" : null;
  return { part, kept, sent, unit: counted };
}

function reportOf(feedback: UserFeedback | undefined): object | null {
  if (!feedback) return null;
  const { eventId, name, email, comments, receivedTime } = feedback;
  return { id: eventId, eventID: eventId, name, email, comments, dateCreated: isoTime(receivedTime) };
}
