import type { Event, Exception, Mechanism, Sdk, TimeBound, Breadcrumb } from "@faultline/proto";
import { readTrimmedJson, readAnyText, Trims } from "./trims.ts";
import { commitOf, readLevel, readLogger, readPlatform, readRelease, readServerName } from "./fields.ts";
import { culpritOf, readTransaction } from "./naming/culprit.ts";
import { namingException, titleOf } from "./naming/title.ts";
import { readOwnTitle, readFingerprint, readStacks } from "./error-event.ts";
import { type JsonField, type JsonObject, asObject, isObject, parsedEvent, readText, readValues } from "./json.ts";
import { limits } from "./limits.ts";
import { type Occurrence, type SentException, readOccurrence, readType, readValue } from "./occurrence.ts";
import { pairs, readRecord, readRequest } from "./request.ts";
import { shownFrames, type StackSurroundings, readThreads, FrameShares } from "./stack/shown-stacks.ts";
import { readEnvironment, readTags } from "./tags.ts";
import { isBound, readTime, toTimestamp } from "./time.ts";
import { readUser } from "./user.ts";

/** The part of an event message that is read from the payload; ids and times come from where the event is stored. */
export type EventDetails = Omit<
  Event,
  | "$typeName"
  | "$unknown"
  | "eventId"
  | "errorId"
  | "projectId"
  | "occurredTime"
  | "receivedTime"
  | "feedback"
  | "clientKeyId"
>;

/** The stored facts that complete the reading of a payload. */
export interface StoredHead {
  /** When it happened, in milliseconds: breadcrumbs are shifted as the event's own time was. */
  readonly occurredAt?: number | undefined;
  /** When it was received, in milliseconds; without it, we do not bound the event's time. */
  readonly receivedAt?: number | undefined;
  /** The user as in ErrorEvent: gives the address that the SDK left to the receiver (`{{auto}}`). */
  readonly user?: string | undefined;
}

/**
 * Reads everything that is shown of an event. A bad field is left out; of a payload that is not a JSON object only the
 * text is shown.
 */
export function readEvent(payload: Uint8Array | string, stored: StoredHead = {}): EventDetails {
  const text = typeof payload === "string" ? payload : new TextDecoder().decode(payload);
  const event = parsedEvent(text);
  const trims = new Trims();
  const platform = readPlatform(event["platform"], trims.at("platform"));
  const transaction = readTransaction(event, trims.at("transaction"));
  const occurrence = readOccurrence(event, trims);
  const { message } = occurrence;
  const { exceptions, frames, ownCode } = readStacks(occurrence, platform);
  const shares = new FrameShares();
  const release = readRelease(event, trims.at("release"));
  readFingerprint(event, trims.at("fingerprint")); // not shown, but it explains the group
  return {
    title: titleOf({
      title: readOwnTitle(event, trims.at("title")),
      exceptions,
      message: message.formatted,
      platform,
    }),
    culprit: culpritOf(event, {
      transaction,
      platform,
      exceptions,
      frames,
      occurrence,
      ownCode,
      naming: namingException({ exceptions, platform }),
    }),
    level: readLevel(event["level"]),
    platform,
    exceptions: readExceptions(occurrence, { platform, ownCode, shares, trims: trims.at("exceptions") }),
    threads: readThreads(event, { frames: occurrence.frames, platform, ownCode, shares, trims: trims.at("threads") }),
    message: message.formatted,
    messageTemplate: message.template,
    user: withAddress(readUser(event, trims.at("user")), stored.user),
    tags: readTags(event, trims.at("tags")),
    release,
    commit: commitOf(release),
    environment: readEnvironment(event, trims.at("environment")),
    serverName: readServerName(event, trims.at("server_name")),
    logger: readLogger(event, trims.at("logger")),
    transaction,
    breadcrumbs: readBreadcrumbs(event, clockShift(event, stored.occurredAt), trims.at("breadcrumbs")),
    request: readRequest(event, trims.at("request")),
    sdk: readSdk(event["sdk"], trims.at("sdk")),
    contexts: readContexts(event, trims.at("contexts")),
    extra: readTrimmedJson(event["extra"], limits.trimmedJson.extra, trims.at("extra")),
    modules: readRecord(pairs(event["modules"]), trims.at("modules")),
    payloadJson: text.toWellFormed(),
    trimmed: trims.list(),
    timeBound: readTimeBound(event, stored),
  };
}

function readExceptions(
  { exceptions }: Occurrence,
  { shares, trims, ...of }: Omit<StackSurroundings, "share"> & { readonly shares: FrameShares },
): Exception[] {
  const share = shares.take(exceptions.map(({ frames }) => frames));
  return exceptions.map((exception, index) => readException(exception, { ...of, share, trims: trims.at(index) }));
}

// Type and value are read once more: the reader that both share does not know the position in the chain yet.
function readException({ sent, mechanism, frames }: SentException, surroundings: StackSurroundings): Exception {
  const { trims } = surroundings;
  return {
    $typeName: "faultline.v1.Exception",
    type: readType(sent, trims.at("type")),
    value: readValue(sent, trims.at("value")),
    module: readText(sent["module"], limits.text.symbol, trims.at("module")),
    ...(mechanism && { mechanism: readMechanism(mechanism, trims.at("mechanism")) }),
    frames: shownFrames(frames, surroundings),
  };
}

function readMechanism(sent: JsonObject, trims: Trims): Mechanism {
  const { handled, exception_id: exceptionId, parent_id: parentId } = sent;
  return {
    $typeName: "faultline.v1.Mechanism",
    type: readText(sent["type"], limits.text.word, trims.at("type")),
    ...(typeof handled === "boolean" && { handled }),
    synthetic: sent["synthetic"] === true,
    ...(isInt32(exceptionId) && { exceptionId }),
    ...(isInt32(parentId) && { parentId }),
    source: readText(sent["source"], limits.text.word, trims.at("source")),
  };
}

function isInt32(value: JsonField): value is number {
  return typeof value === "number" && (value | 0) === value;
}

function withAddress(user: EventDetails["user"], key = ""): EventDetails["user"] {
  if (!key.startsWith("ip:") || user?.ipAddress) return user;
  const nobody = { $typeName: "faultline.v1.EventUser", id: "", username: "", email: "", ipAddress: "" } as const;
  return { ...(user ?? nobody), ipAddress: key.slice("ip:".length) };
}

function clockShift(event: JsonObject, occurredAt: number | undefined): number {
  const sent = readTime(event["timestamp"]);
  const shift = sent === undefined || occurredAt === undefined ? 0 : occurredAt - sent;
  return Math.abs(shift) < limits.time.drift ? 0 : shift;
}

/** The event's own time, if the stored time is a bound instead. Times are stored to the millisecond. */
function readTimeBound(event: JsonObject, { occurredAt, receivedAt }: StoredHead): TimeBound | undefined {
  if (occurredAt === undefined || receivedAt === undefined || !isBound(occurredAt, receivedAt)) return undefined;
  const sent = readTime(event["timestamp"]);
  if (sent === undefined) return { $typeName: "faultline.v1.TimeBound" };
  if (Math.abs(sent - occurredAt) < 1) return undefined;
  return { $typeName: "faultline.v1.TimeBound", sentTime: toTimestamp(sent) };
}

function readSdk(sent: JsonField, trims: Trims): Sdk | undefined {
  const sdk = asObject(sent);
  const name = readText(sdk?.["name"], limits.text.word, trims.at("name"));
  if (name === "") return undefined;
  const version = readText(sdk?.["version"], limits.text.word, trims.at("version"));
  return { $typeName: "faultline.v1.Sdk", name, version };
}

/** Contexts are objects by name; anything else under a name is left out. */
function readContexts(event: JsonObject, trims: Trims): JsonObject | undefined {
  const sent = event["contexts"] ?? event["sentry.interfaces.Contexts"];
  if (!isObject(sent)) return undefined;
  const objects = Object.fromEntries(Object.entries(sent).filter(([, context]) => isObject(context)));
  return readTrimmedJson(objects, limits.trimmedJson.contexts, trims);
}

/** The last 100 breadcrumbs, oldest first; `shift` milliseconds are added to their times. */
function readBreadcrumbs(event: JsonObject, shift: number, trims: Trims): Breadcrumb[] {
  const sent = readValues(event["breadcrumbs"] ?? event["sentry.interfaces.Breadcrumbs"]);
  const kept = sent.slice(-limits.count.breadcrumbs);
  trims.entries(kept.length, sent.length);
  return kept.map((crumb, index) => readBreadcrumb(crumb, shift, trims.at(index)));
}

function readBreadcrumb(sent: JsonObject, shift: number, trims: Trims): Breadcrumb {
  const time = readTime(sent["timestamp"]);
  const data = readTrimmedJson(sent["data"], limits.trimmedJson.breadcrumb, trims.at("data"));
  return {
    $typeName: "faultline.v1.Breadcrumb",
    ...(time !== undefined && { time: toTimestamp(time + shift) }),
    type: readText(sent["type"] ?? sent["ty"], limits.text.word, trims.at("type")) || "default",
    category: readText(sent["category"], limits.text.word, trims.at("category")),
    level: readLevel(sent["level"], "info"),
    message: readAnyText(consoleText(sent) ?? sent["message"], limits.text.message, trims.at("message")),
    ...(data && { data }),
  };
}

/**
 * The text that the console of a browser or of Node shows, for a breadcrumb that has the template with its arguments:
 * `data.arguments` are the arguments of the call. Undefined for any other breadcrumb, and for a text that is filled in already.
 */
function consoleText({ category, message, data }: JsonObject): string | undefined {
  if (category !== "console" || typeof message !== "string") return undefined;
  const sent = asObject(data)?.["arguments"];
  if (!Array.isArray(sent)) return undefined;
  const [template, ...values] = sent;
  if (typeof template !== "string" || !template.includes("%") || !message.startsWith(template)) return undefined;
  let next = 0;
  const filled = template.replaceAll(/%([sdifoOjc%])/g, (directive, letter: string) => {
    if (letter === "%") return "%";
    if (next >= values.length) return directive;
    const value = values[next++];
    return letter === "c" ? "" : argumentText(value); // %c is the style of what follows
  });
  return [filled, ...values.slice(next).map(argumentText)].join(" ");
}

const argumentText = (value: JsonField) => (value === null ? "null" : readAnyText(value, limits.text.parameter));
