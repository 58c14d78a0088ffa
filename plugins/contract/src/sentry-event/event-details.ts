import type { Event, Exception, Mechanism, Sdk, Thread } from "@faultline/proto";
import { readBag } from "./bag.ts";
import { readBreadcrumbs } from "./breadcrumbs.ts";
import { culpritOf, readTransaction } from "./culprit.ts";
import { groupingException, readOwnTitle } from "./error-event.ts";
import { groupingFrames, sentFrames, shownFrames } from "./frame.ts";
import type { JsonField, JsonObject } from "./json.ts";
import { asObject, isObject } from "./json.ts";
import { readLevel } from "./level.ts";
import { limits } from "./limits.ts";
import { readLogger, readPlatform, readRelease, readServerName } from "./names.ts";
import type { Occurrence, SentException } from "./occurrence.ts";
import { readOccurrence, sentThreads } from "./occurrence.ts";
import { pairs, readRecord, readRequest } from "./request.ts";
import { readEnvironment, readTags } from "./tags.ts";
import { readText } from "./text.ts";
import { readTime } from "./time.ts";
import { titleOf } from "./title.ts";
import { readUser } from "./user.ts";

/** The part of an event message that is read from the payload; ids and times come from where the event is stored. */
export type EventDetails = Omit<
  Event,
  "$typeName" | "$unknown" | "eventId" | "errorId" | "projectId" | "occurredTime" | "receivedTime" | "feedback"
>;

/** What was stored of an event beside its payload and completes the reading. */
export interface StoredHead {
  /** When it happened, in milliseconds: breadcrumbs are shifted as the event's own time was. */
  readonly occurredAt?: number | undefined;
  /** The user as in ErrorEvent: gives the address that the SDK left to the receiver (`{{auto}}`). */
  readonly user?: string | undefined;
}

/**
 * Reads everything that is shown of an event. A bad field is left out; of a payload that is no JSON object nothing but
 * the text is shown.
 */
export function readEvent(payload: Uint8Array | string, stored: StoredHead = {}): EventDetails {
  const text = typeof payload === "string" ? payload : new TextDecoder().decode(payload);
  const event = parseObject(text);
  const platform = readPlatform(event["platform"]);
  const transaction = readTransaction(event);
  const occurrence = readOccurrence(event);
  const { message } = occurrence;
  const exceptions = occurrence.exceptions.map((exception) => groupingException(exception, platform));
  const frames = groupingFrames(occurrence.frames, platform);
  return {
    title: titleOf({ title: readOwnTitle(event), exceptions, message: message.formatted }),
    culprit: culpritOf(event, { transaction, platform, exceptions, frames }),
    level: readLevel(event["level"]),
    platform,
    exceptions: occurrence.exceptions.map((exception) => readException(exception, platform)),
    threads: readThreads(event, occurrence, platform),
    message: message.formatted,
    messageTemplate: message.template,
    user: withAddress(readUser(event), stored.user),
    tags: readTags(event),
    release: readRelease(event),
    environment: readEnvironment(event),
    serverName: readServerName(event),
    logger: readLogger(event),
    transaction,
    breadcrumbs: readBreadcrumbs(event, clockShift(event, stored.occurredAt)),
    request: readRequest(event),
    sdk: readSdk(event["sdk"]),
    contexts: readBag(objectsOf(event["contexts"] ?? event["sentry.interfaces.Contexts"]), limits.bag.contexts),
    extra: readBag(event["extra"], limits.bag.extra),
    modules: readRecord(pairs(event["modules"])),
    payloadJson: text.toWellFormed(),
    trimmed: [],
  };
}

function parseObject(text: string): JsonObject {
  try {
    return asObject(JSON.parse(text)) ?? {};
  } catch {
    // A service that reports over gRPC may send any payload, or none; the head alone is valid.
    return {};
  }
}

function readException(exception: SentException, platform: string): Exception {
  const mechanism = exception.mechanism && readMechanism(exception.mechanism);
  return {
    $typeName: "faultline.v1.Exception",
    type: exception.type,
    value: exception.value,
    module: readText(exception.sent["module"], limits.text.symbol),
    ...(mechanism && { mechanism }),
    frames: shownFrames(exception.frames, platform),
  };
}

function readMechanism(sent: JsonObject): Mechanism {
  const { handled, exception_id: exceptionId, parent_id: parentId } = sent;
  return {
    $typeName: "faultline.v1.Mechanism",
    type: readText(sent["type"], limits.text.word),
    ...(typeof handled === "boolean" && { handled }),
    synthetic: sent["synthetic"] === true,
    ...(isInt32(exceptionId) && { exceptionId }),
    ...(isInt32(parentId) && { parentId }),
    source: readText(sent["source"], limits.text.word),
  };
}

function isInt32(value: JsonField): value is number {
  return typeof value === "number" && (value | 0) === value;
}

/** The threads; a stack that belongs to no thread and no exception is shown as the current thread. */
function readThreads(event: JsonObject, occurrence: Occurrence, platform: string): Thread[] {
  const threads = sentThreads(event).map((sent) => readThread(sent, platform));
  if (occurrence.frames.length === 0 || threads.some((thread) => thread.frames.length > 0)) return threads;
  return [{ ...readThread({ current: true }, platform), frames: shownFrames(occurrence.frames, platform) }, ...threads];
}

function readThread(sent: JsonObject, platform: string): Thread {
  return {
    $typeName: "faultline.v1.Thread",
    id: readText(sent["id"], limits.text.word),
    name: readText(sent["name"], limits.text.word),
    current: sent["current"] === true,
    crashed: sent["crashed"] === true,
    frames: shownFrames(sentFrames(sent["stacktrace"] ?? sent["raw_stacktrace"]), platform),
  };
}

function withAddress(user: EventDetails["user"], key = ""): EventDetails["user"] {
  if (!key.startsWith("ip:") || user?.ipAddress) return user;
  const nobody = { $typeName: "faultline.v1.EventUser", id: "", username: "", email: "", ipAddress: "" } as const;
  return { ...(user ?? nobody), ipAddress: key.slice("ip:".length) };
}

function clockShift(event: JsonObject, occurredAt: number | undefined): number {
  const told = readTime(event["timestamp"]);
  const shift = told === undefined || occurredAt === undefined ? 0 : occurredAt - told;
  return Math.abs(shift) < limits.time.drift ? 0 : shift;
}

function readSdk(sent: JsonField): Sdk | undefined {
  const sdk = asObject(sent);
  const name = readText(sdk?.["name"], limits.text.word);
  return name === ""
    ? undefined
    : { $typeName: "faultline.v1.Sdk", name, version: readText(sdk?.["version"], limits.text.word) };
}

/** Contexts are objects by name; anything else under a name is left out. */
function objectsOf(contexts: JsonField): JsonObject | undefined {
  return isObject(contexts)
    ? Object.fromEntries(Object.entries(contexts).filter(([, context]) => isObject(context)))
    : undefined;
}
