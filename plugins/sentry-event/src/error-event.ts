import type { ErrorEvent, PayloadEncoding } from "@faultline/proto";
import { culpritOf, groupingCulpritOf, shownFrame } from "./naming/culprit.ts";
import { namingException } from "./naming/naming-exception.ts";
import { readTransaction } from "./naming/transaction.ts";
import { readEventId } from "./event-id.ts";
import { readFingerprint } from "./fingerprint.ts";
import { newestFrames, stacksOf } from "./stack/frame.ts";
import { groupingTagsOf } from "./grouping-tags.ts";
import type { JsonObject } from "./json/json.ts";
import { readLevel } from "./level.ts";
import { limits } from "./limits.ts";
import { readLogger, readPlatform, readRelease } from "./names.ts";
import type { SentException } from "./occurrence.ts";
import { readOccurrence } from "./occurrence.ts";
import { readStacks } from "./exceptions/read-stacks.ts";
import { readEnvironment } from "./tags.ts";
import { addPlace, searchTags } from "./search-tags.ts";
import { readText } from "./json/text.ts";
import { publicText } from "./naming/public-name.ts";
import { boundedTime, readSentTime, toTimestamp } from "./time.ts";
import type { Trims } from "./json/trims.ts";
import { readAffectedUser } from "./user/user.ts";

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
  const what = readWhat(event);
  const { transaction } = what;
  const fingerprint = readFingerprint(event);
  const { names, key: user } = readAffectedUser(event, arrival.clientIp);
  const tags = searchTags(event, { transaction, exceptions: what.asSent, names, user, raised: what.raised });
  return {
    $typeName: "faultline.v1.ErrorEvent",
    projectId: arrival.projectId,
    eventId: readEventId(arrival.envelopeEventId) ?? readEventId(event["event_id"]) ?? arrival.newEventId(),
    occurredTime: toTimestamp(occurredAt(event, arrival)),
    receivedTime: toTimestamp(arrival.receivedAt),
    level: readLevel(event["level"]),
    platform: what.platform,
    exceptions: what.exceptions,
    frames: what.frames,
    message: what.message.formatted,
    messageTemplate: what.message.template,
    fingerprint,
    title: readOwnTitle(event),
    culprit: what.culprit,
    user,
    release: readRelease(event),
    environment: readEnvironment(event),
    tags,
    groupingTags: fingerprint.length === 0 ? {} : groupingTagsOf(event, fingerprint, tags),
    payload: arrival.payload.content,
    payloadEncoding: arrival.payload.encoding,
    payloadOffset: arrival.payload.offset,
    payloadLength: arrival.payload.length,
    logger: readLogger(event),
    keyId: arrival.keyId ?? 0,
    ...(user !== "" && { userNames: { $typeName: "faultline.v1.UserNames", ...names } }),
    ...(what.groupingCulprit !== undefined && { groupingCulprit: what.groupingCulprit }),
  };
}

/**
 * The head of an event whose frames in `sent` were changed after it had been read, as to those of its sources: what it is
 * grouped by, and where it happened, are read again.
 */
export function withFramesOf(event: ErrorEvent, sent: JsonObject): ErrorEvent {
  const { exceptions, frames, culprit, groupingCulprit, raised } = readWhat(sent);
  const { groupingCulprit: _, ...unchanged } = event;
  const { "stack.filename": _file, "stack.function": _function, ...tags } = event.tags;
  addPlace(tags, raised);
  return {
    ...unchanged,
    tags,
    exceptions,
    frames,
    culprit,
    ...(groupingCulprit !== undefined && { groupingCulprit }),
  };
}

/** The stacks that `readErrorEvent` reads: the frames themselves, so that a change of one is a change of `event`. */
export function sentStacks(event: JsonObject): readonly (readonly JsonObject[])[] {
  return stacksOf(readOccurrence(event));
}

/** The exceptions that `readErrorEvent` reads, root cause first, as they were sent: a change of one is a change of `event`. */
export function sentExceptions(event: JsonObject): readonly Pick<SentException, "sent" | "type" | "frames">[] {
  return readOccurrence(event).exceptions.map(({ sent, type, frames }) => ({
    sent,
    type,
    frames: newestFrames(frames),
  }));
}

/** What happened, and where in the code. */
function readWhat(event: JsonObject) {
  const platform = readPlatform(event["platform"]);
  const occurrence = readOccurrence(event);
  const { exceptions, frames, ownCode } = readStacks(occurrence, platform);
  const transaction = readTransaction(event);
  const naming = namingException({ exceptions, platform });
  const place = { transaction, platform, exceptions, frames, occurrence, ownCode, naming };
  const raised = shownFrame(place);
  const culprit = culpritOf(event, place, raised);
  const groupingCulprit = groupingCulpritOf(event, place, culprit);
  const { message, exceptions: asSent } = occurrence;
  return { platform, exceptions, frames, message, asSent, transaction, culprit, groupingCulprit, raised };
}

/** The title an event gives itself. Mostly empty. */
export function readOwnTitle(event: JsonObject, trims?: Trims): string {
  return readText(publicText(event["title"]), limits.text.title, trims);
}

/** The time of the event, within bounds. */
function occurredAt(event: JsonObject, arrival: Arrival): number {
  const { receivedAt } = arrival;
  return boundedTime(readSentTime(event["timestamp"], arrival) ?? receivedAt, receivedAt);
}
