import type { ErrorEvent, GroupingException, PayloadEncoding } from "@faultline/proto";
import { culpritOf, readTransaction } from "./naming/culprit.ts";
import { readEventId } from "./event-id.ts";
import { readFingerprint } from "./fingerprint.ts";
import { groupingFrames } from "./stack/frame.ts";
import type { JsonObject } from "./json/json.ts";
import { readLevel } from "./level.ts";
import { limits } from "./limits.ts";
import { readLogger, readPlatform, readRelease, readServerName } from "./names.ts";
import type { SentException } from "./occurrence.ts";
import { readOccurrence } from "./occurrence.ts";
import { addTag, readEnvironment, readTags } from "./tags.ts";
import { readText } from "./json/text.ts";
import { boundedTime, readSentTime, toTimestamp } from "./time.ts";
import type { Trims } from "./json/trims.ts";
import { readUserNames, userKey } from "./user.ts";

/** An event's JSON as it is stored: the bytes of `content` from `offset` on, `length` of them, once decompressed. */
export interface StoredPayload {
  readonly content: Uint8Array;
  readonly encoding: PayloadEncoding;
  readonly offset: number;
  readonly length: number;
}

/** The facts about an event beside the event itself. Times are milliseconds since 1970. */
export interface Arrival {
  readonly projectId: number;
  /** The stored form of the event. */
  readonly payload: StoredPayload;
  readonly receivedAt: number;
  /** `sent_at` of the envelope header. Absent: the sender's clock is trusted. */
  readonly sentAt?: number | undefined;
  /** `event_id` of the envelope header; it wins over the event's own. */
  readonly envelopeEventId?: string | undefined;
  readonly clientIp?: string | undefined;
  /** The client key that it came with. Absent: none. */
  readonly keyId?: number;
  /** Returns the id for an event without one. */
  readonly newEventId: () => string;
}

/**
 * Reads the head of an event, for counting, grouping and search. A bad field is dropped, never the event: this throws
 * for no JSON object whatever.
 *
 * On the way of every event, so messages are literals and no `create` of protobuf-es.
 */
export function readErrorEvent(event: JsonObject, arrival: Arrival): ErrorEvent {
  const platform = readPlatform(event["platform"]);
  const occurrence = readOccurrence(event);
  const exceptions = occurrence.exceptions.map((exception) => groupingException(exception, platform));
  const frames = groupingFrames(occurrence.frames, platform);
  const transaction = readTransaction(event);
  return {
    $typeName: "faultline.v1.ErrorEvent",
    projectId: arrival.projectId,
    eventId: readEventId(arrival.envelopeEventId) ?? readEventId(event["event_id"]) ?? arrival.newEventId(),
    occurredTime: toTimestamp(occurredAt(event, arrival)),
    receivedTime: toTimestamp(arrival.receivedAt),
    level: readLevel(event["level"]),
    platform,
    exceptions,
    frames,
    message: occurrence.message.formatted,
    messageTemplate: occurrence.message.template,
    fingerprint: readFingerprint(event),
    title: readOwnTitle(event),
    culprit: culpritOf(event, { transaction, platform, exceptions, frames }),
    user: userKey(readUserNames(event, arrival.clientIp)),
    release: readRelease(event),
    environment: readEnvironment(event),
    tags: searchTags(event),
    payload: arrival.payload.content,
    payloadEncoding: arrival.payload.encoding,
    payloadOffset: arrival.payload.offset,
    payloadLength: arrival.payload.length,
    logger: readLogger(event),
    keyId: arrival.keyId ?? 0,
  };
}

/** The parts of an exception that grouping needs. */
export function groupingException(exception: SentException, platform: string): GroupingException {
  return {
    $typeName: "faultline.v1.GroupingException",
    type: exception.type,
    value: exception.value,
    synthetic: exception.synthetic,
    frames: groupingFrames(exception.frames, platform),
  };
}

/** The title an event gives itself. Mostly empty. */
export function readOwnTitle(event: JsonObject, trims?: Trims): string {
  return readText(event["title"], limits.text.title, trims);
}

/** The time of the event, within bounds. */
function occurredAt(event: JsonObject, arrival: Arrival): number {
  const { receivedAt } = arrival;
  return boundedTime(readSentTime(event["timestamp"], arrival) ?? receivedAt, receivedAt);
}

/** Tags for search: the event's own, and the names of host and site, which SDKs send in fields of their own. */
export function searchTags(event: JsonObject): Record<string, string> {
  const tags = readTags(event);
  addTag(tags, "server_name", readServerName(event));
  addTag(tags, "site", event["site"]);
  return tags;
}
