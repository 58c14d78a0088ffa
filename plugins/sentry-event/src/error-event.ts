import {
  type ErrorEvent,
  type PayloadEncoding,
  ExceptionRole,
  type GroupingException,
  type GroupingFrame,
} from "@faultline/proto";
import { culpritOf, groupingCulpritOf, shownFrame, readTransaction, sentTransaction } from "./naming/culprit.ts";
import { namingException, faultOf } from "./naming/title.ts";
import { readEventId, readLevel, readLogger, readPlatform, readRelease } from "./fields.ts";
import { newestFrames, stacksOf, groupingFrames } from "./stack/frame.ts";
import { type JsonObject, asObject, readText } from "./json.ts";
import { limits } from "./limits.ts";
import { type SentException, type Occurrence, readOccurrence } from "./occurrence.ts";
import { readEnvironment, sentTagValue, addPlace, searchTags } from "./tags.ts";
import { publicText } from "./naming/public-name.ts";
import { boundedTime, readSentTime, toTimestamp } from "./time.ts";
import type { Trims } from "./trims.ts";
import { readAffectedUser } from "./user.ts";
import { readRequestUrl } from "./request.ts";
import { markOwners, OwnCode } from "./stack/own-code.ts";
import { type Relation, relationsOf } from "./exceptions.ts";

/** An event's JSON as it is stored: the bytes of `content` from `offset` on, `length` of them, once decompressed. */
export interface StoredPayload {
  readonly content: Uint8Array;
  readonly encoding: PayloadEncoding;
  readonly offset: number;
  readonly length: number;
}

/** The facts about an event that the event does not hold. Times are milliseconds since 1970. */
export interface Arrival {
  readonly projectId: number;
  /** The stored form of the event. */
  readonly payload: StoredPayload;
  readonly receivedAt: number;
  /** `sent_at` of the envelope header; without it, the sender's clock is trusted. */
  readonly sentAt?: number | undefined;
  /** `event_id` of the envelope header; it wins over the event's own. */
  readonly envelopeEventId?: string | undefined;
  readonly clientIp?: string | undefined;
  /** The client key that it came with; undefined without a key. */
  readonly keyId?: number;
  /** Returns the id for an event without one. */
  readonly newEventId: () => string;
}

/**
 * Reads the head of an event, for counting, grouping and search. A bad field is dropped, never the event: this throws
 * for no JSON object whatever.
 *
 * It runs for every event, so messages are literals and no `create` of protobuf-es.
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
 * The head of an event whose frames in `sent` were changed after it had been read, for example to the frames of its sources: what it is
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

/** The stacks that `readErrorEvent` reads: the frames themselves, so that changing them changes `event`. */
export function sentStacks(event: JsonObject): readonly (readonly JsonObject[])[] {
  return stacksOf(readOccurrence(event));
}

/** The exceptions that `readErrorEvent` reads, root cause first, as they were sent: changing them changes `event`. */
export function sentExceptions(event: JsonObject): readonly Pick<SentException, "sent" | "type" | "frames">[] {
  return readOccurrence(event).exceptions.map(({ sent, type, frames }) => ({
    sent,
    type,
    frames: newestFrames(frames),
  }));
}

/** The head's description: the fault, and its place in the code. */
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

/** The parts an application chose for grouping. Empty for the default grouping, also if the application requests nothing else. */
export function readFingerprint(event: JsonObject, trims?: Trims): string[] {
  const sent = event["fingerprint"] ?? event["checksum"];
  if (sent === undefined || sent === null) return [];
  const parts: string[] = [];
  let leftOut = 0;
  for (const part of Array.isArray(sent) ? sent : [sent]) {
    const hasRoom = parts.length < limits.count.fingerprint;
    const text = readText(part, limits.text.fingerprint, hasRoom ? trims?.at(parts.length) : undefined);
    if (text === "") continue;
    if (hasRoom) parts.push(text);
    else leftOut++;
  }
  trims?.entries(parts.length, parts.length + leftOut);
  return parts.length === 1 && DEFAULT.test(parts[0] ?? "") ? [] : parts;
}

const DEFAULT = /^\{\{ *default *\}\}$/;

/**
 * The tags that the fingerprint names, by key, if version 1 of grouping has another value: it leaves objects out, and
 * has addresses as they were sent. A change here is a new grouping version.
 */
function groupingTagsOf(
  event: JsonObject,
  fingerprint: readonly string[],
  tags: Readonly<Record<string, string>>,
): Record<string, string> {
  const changed: Record<string, string> = {};
  for (const part of fingerprint) {
    const key = TAG.exec(part)?.[1];
    if (key === undefined || tags[key] === undefined) continue;
    const value = sentTagValue(event, key) || derivedValue(event, key) || (isSentAsObject(event, key) ? "" : tags[key]);
    if (value !== tags[key]) changed[key] = value;
  }
  return changed;
}

const TAG = /^\{\{\s*tags\.([\w.-]+)\s*\}\}$/;

function derivedValue(event: JsonObject, key: string): string {
  if (key === "transaction") return sentTransaction(event);
  return key === "url" ? readRequestUrl(event).replace(/[?#].*$/s, "") : "";
}

function isSentAsObject(event: JsonObject, key: string): boolean {
  const sent = asObject(event["tags"])?.[key];
  return typeof sent === "object" && sent !== null;
}

/** The exceptions and stacks of an event, in the form in which it is grouped and named. */
interface ReadStacks {
  readonly exceptions: GroupingException[];
  /** The stack outside of exceptions. May be empty. */
  readonly frames: GroupingFrame[];
  readonly ownCode: OwnCode;
}

/** Reads what grouping needs of the exceptions and stacks of an event. */
export function readStacks(occurrence: Occurrence, platform: string): ReadStacks {
  const relations = relationsOf(occurrence.exceptions);
  const exceptions = occurrence.exceptions.map((exception, index) =>
    groupingException(exception, platform, relations[index]),
  );
  const frames = groupingFrames(occurrence.frames, platform);
  const ownCode = new OwnCode(() => stacksOf(occurrence), platform);
  const stacks = exceptions.map(({ frames: read }, index) => ({
    sent: occurrence.exceptions[index]?.frames ?? [],
    read,
  }));
  markOwners([...stacks, { sent: occurrence.frames, read: frames }], ownCode);
  return { exceptions, frames, ownCode };
}

function groupingException(
  exception: SentException,
  platform: string,
  { exceptionId, parentId, role }: Relation = { role: ExceptionRole.UNSPECIFIED },
): GroupingException {
  return {
    $typeName: "faultline.v1.GroupingException",
    type: exception.type,
    value: exception.value,
    synthetic: exception.synthetic,
    frames: groupingFrames(exception.frames, platform),
    ...(exceptionId !== undefined && { exceptionId }),
    ...(parentId !== undefined && { parentId }),
    role,
    fault: faultOf(exception),
  };
}
