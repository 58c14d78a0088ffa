import { invalidField, millisecondsOf, timestamp } from "@faultline/plugin";
import { limits } from "@faultline/sentry-event";
import { SessionStatusSchema, type SessionAggregate, type SessionUpdate } from "@faultline/proto";

const maxDigest = 64;
const statuses = new Set<number>(SessionStatusSchema.values.map(({ number }) => number));

/** A session update that a service reports, with its defaults; refuses one that breaks a limit of ingest.proto. */
export function reportedUpdate(update: SessionUpdate, field: string, receivedAt: number): SessionUpdate {
  if (!/^[0-9a-f]{32}$/.test(update.sessionId)) {
    throw invalidField(`${field}.session_id`, "A session id has 32 lower-case hexadecimal digits.");
  }
  if (update.sequence > BigInt(Number.MAX_SAFE_INTEGER)) {
    throw invalidField(`${field}.sequence`, "A sequence is at most 2^53.");
  }
  if (!statuses.has(update.status)) throw invalidField(`${field}.status`, "This session status does not exist.");
  checkSession(update, field, receivedAt);
  return { ...update, updatedTime: update.updatedTime ?? timestamp(receivedAt), receivedTime: timestamp(receivedAt) };
}

/** Sessions that a service counted; refuses those that break a limit of ingest.proto. */
export function reportedAggregate(aggregate: SessionAggregate, field: string, receivedAt: number): SessionAggregate {
  checkSession(aggregate, field, receivedAt);
  return aggregate;
}

type Described = Pick<SessionUpdate, "release" | "environment" | "userDigest" | "startedTime">;

function checkSession(session: Described, field: string, receivedAt: number): void {
  const { release, environment, userDigest, startedTime } = session;
  if (release === "" || release.length > limits.text.release) {
    throw invalidField(`${field}.release`, `A session needs a release of at most ${limits.text.release} characters.`);
  }
  if (environment.length > limits.text.environment) {
    throw invalidField(`${field}.environment`, `It has at most ${limits.text.environment} characters.`);
  }
  if (userDigest.length > maxDigest) {
    throw invalidField(`${field}.user_digest`, `It has at most ${maxDigest} characters.`);
  }
  const startedAt = startedTime ? millisecondsOf(startedTime) : 0;
  const { sessionPast, future } = limits.time;
  if (startedAt < receivedAt - sessionPast || startedAt > receivedAt + future) {
    throw invalidField(`${field}.started_time`, "A session must have started within the last 5 days.");
  }
}
