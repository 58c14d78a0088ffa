import { hash, randomBytes } from "node:crypto";
import { timestamp } from "@faultline/plugin";
import {
  asObject,
  canonicalName,
  limits,
  readEnvironment,
  readEventId,
  readRelease,
  readSentTime,
  type JsonField,
  type JsonObject,
} from "@faultline/sentry-event";
import { SessionStatus, type SessionAggregate, type SessionUpdate } from "@faultline/proto";
import { maxEntries, maxQuantity } from "../limits.ts";
import type { ItemArrival } from "./arrival.ts";
import { leftAside, type LeftAside, type LeftAsideReason } from "./left-aside.ts";

/**
 * Reads a `session` item, an update of one session (section 6). It is not stored without a usable release or start;
 * other invalid fields count as missing. `attrs.ip_address` is ignored: Node sends `{{auto}}`.
 */
export function readSessionUpdate(
  item: JsonObject,
  arrival: ItemArrival,
  newSessionId: () => string = randomSessionId,
): SessionUpdate | LeftAside {
  const described = readAttributes(item);
  const startedAt = readStart(item["started"], arrival);
  if (!described) return leftAside("no_release");
  if (typeof startedAt === "string") return leftAside(startedAt);
  const { projectId, receivedAt } = arrival;
  const status = readStatus(item["status"]);
  return {
    $typeName: "faultline.v1.SessionUpdate",
    projectId,
    sessionId: readEventId(item["sid"]) ?? newSessionId(),
    ...described,
    startedTime: timestamp(startedAt),
    userDigest: userDigest(item["did"], projectId),
    sequence: BigInt(item["init"] === true ? 0 : (wholeNumber(item["seq"], Number.MAX_SAFE_INTEGER) ?? receivedAt)),
    updatedTime: timestamp(readSentTime(item["timestamp"], arrival) ?? receivedAt),
    status,
    errorCount: wholeNumber(item["errors"], maxErrors) || (impliesError.has(status) ? 1 : 0),
    receivedTime: timestamp(receivedAt),
  };
}

/** Reads a `sessions` item, sessions counted by the SDK. Only buckets with an invalid start or counter are dropped. */
export function readSessionAggregates(item: JsonObject, arrival: ItemArrival): (SessionAggregate | LeftAside)[] {
  const sent = item["aggregates"];
  if (!Array.isArray(sent)) return [leftAside("unreadable")];
  const described = readAttributes(item);
  const read = bucketsOf(item).map((bucket) => readBucket(asObject(bucket) ?? {}, described, arrival));
  if (sent.length > read.length) read.push(leftAside("extra", sent.length - read.length));
  return read;
}

function readBucket(
  bucket: JsonObject,
  described: ReturnType<typeof readAttributes>,
  arrival: ItemArrival,
): SessionAggregate | LeftAside {
  const counts = readCounts(bucket);
  if (!counts) return leftAside("no_counts");
  const sessions = Math.min(total(counts), maxQuantity);
  if (!described) return leftAside("no_release", sessions);
  const startedAt = readStart(bucket["started"], arrival);
  if (typeof startedAt === "string") return leftAside(startedAt, sessions);
  const { projectId } = arrival;
  return {
    $typeName: "faultline.v1.SessionAggregate",
    projectId,
    ...described,
    startedTime: timestamp(startedAt),
    userDigest: userDigest(bucket["did"], projectId),
    ...counts,
  };
}

/** The buckets of a `sessions` item, up to the limit. */
export function bucketsOf(item: JsonObject): readonly JsonField[] {
  const buckets = item["aggregates"];
  return Array.isArray(buckets) ? buckets.slice(0, maxEntries.sessionBuckets) : [];
}

const maxErrors = 2 ** 32 - 1;
const maxBucketCount = 2 ** 31 - 1;

const { OK, EXITED, ERRORED, UNHANDLED, ABNORMAL, CRASHED } = SessionStatus;

const statuses = new Map<JsonField, SessionStatus>([
  ["ok", OK],
  ["exited", EXITED],
  ["errored", ERRORED],
  ["unhandled", UNHANDLED],
  ["abnormal", ABNORMAL],
  ["crashed", CRASHED],
]);

/** Some SDKs do not count the error that ended the session. */
const impliesError = new Set<SessionStatus>([UNHANDLED, ABNORMAL, CRASHED]);

function randomSessionId(): string {
  return randomBytes(16).toString("hex");
}

/** Release and environment; undefined without a valid release. */
function readAttributes(item: JsonObject): { release: string; environment: string } | undefined {
  const attributes = asObject(item["attrs"]) ?? {};
  const release = readRelease(attributes);
  return release === "" ? undefined : { release, environment: readEnvironment(attributes) };
}

/** The start of the session, or a reason: it is missing, more than 5 days ago or more than a minute in the future. */
function readStart(sent: JsonField, arrival: ItemArrival): number | LeftAsideReason {
  const startedAt = readSentTime(sent, arrival);
  if (startedAt === undefined) return "no_start";
  const age = arrival.receivedAt - startedAt;
  if (age > limits.time.sessionPast) return "too_old";
  return age < -limits.time.future ? "in_future" : startedAt;
}

/** Reads a status. An unknown status means that the session ended with errors. */
function readStatus(sent: JsonField): SessionStatus {
  return statuses.get(sent) ?? (typeof sent === "string" ? ERRORED : OK);
}

function wholeNumber(sent: JsonField, max: number): number | undefined {
  return typeof sent === "number" && Number.isInteger(sent) && sent >= 0 ? Math.min(sent, max) : undefined;
}

/** Users are counted and never shown, so only a digest is stored. `did` may be an id, e-mail address or IP address. */
function userDigest(did: JsonField, projectId: number): string {
  const id = typeof did === "number" || typeof did === "string" ? String(did).trim() : "";
  return id === "" ? "" : hash("sha256", `${projectId}/${canonicalName(id)}`).slice(0, 32);
}

type Counts = Pick<SessionAggregate, "exited" | "errored" | "unhandled" | "abnormal" | "crashed">;

/** The counters of a bucket; undefined if one of them is not a counter, or all are 0. */
function readCounts(bucket: JsonObject): Counts | undefined {
  const counts: Counts = { exited: 0, errored: 0, unhandled: 0, abnormal: 0, crashed: 0 };
  for (const name of ["exited", "errored", "unhandled", "abnormal", "crashed"] as const) {
    const count = wholeNumber(bucket[name] ?? 0, Infinity);
    if (count === undefined || count > maxBucketCount) return undefined;
    counts[name] = count;
  }
  return total(counts) > 0 ? counts : undefined;
}

function total({ exited, errored, unhandled, abnormal, crashed }: Counts): number {
  return exited + errored + unhandled + abnormal + crashed;
}
