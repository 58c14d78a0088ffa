import {
  emptyIntake,
  invalidField,
  ServiceError,
  type Clock,
  type Handlers,
  type IngestQueue,
  type RateCategory,
  timestamp,
  millisecondsOf,
} from "@faultline/plugin";
import { LoopSlices } from "@faultline/plugin/flow";
import {
  Backend,
  ErrorReason,
  IngestService,
  type ErrorEvent,
  type ReportEventsRequest,
  type UserFeedback,
  SessionStatusSchema,
  type SessionAggregate,
  type SessionUpdate,
} from "@faultline/proto";
import { limits } from "@faultline/sentry-event";
import type { CoreCall } from "../access/guard.ts";
import { type ProjectDirectory, trackingOff } from "../projects/project-directory.ts";
import { eventsRefused } from "../instance/integrated-offering.ts";
import type { RateLimits } from "../../host/ingest/rate-limits.ts";
import type { Unstored } from "../../host/ingest/unstored.ts";
import { reportedEvent } from "./reported-event.ts";

/** How many events of a call are stored together. The events of SDKs wait while a batch keeps the event loop busy. */
const storedAtOnce = 100;

/** Events from internal services, over gRPC; SDKs use the bridge. */
export function ingestService(parts: {
  projects: ProjectDirectory;
  queue: IngestQueue;
  rateLimits: Pick<RateLimits, "spend">;
  unstored: Unstored;
  clock: Clock;
  integratedOffered: boolean;
}): Handlers<typeof IngestService, CoreCall> {
  const { projects, queue, rateLimits, unstored, clock, integratedOffered } = parts;

  const checkProjects = async (items: readonly { readonly projectId: number }[], category: RateCategory) => {
    for (const [projectId, ofProject] of Map.groupBy(items, (item) => item.projectId)) {
      const [backend] = await projects.backend(await projects.project(projectId));
      if (backend.kind !== Backend.INTEGRATED) {
        throw new ServiceError(ErrorReason.ERROR_TRACKING_DISABLED, trackingOff);
      }
      if (!integratedOffered) throw eventsRefused();
      const admission = { keyId: 0, projectId, network: "", limits: undefined };
      const limit = rateLimits.spend(admission, category, ofProject.length);
      if (limit?.isExceeded !== true) continue;
      throw new ServiceError(
        ErrorReason.RATE_LIMITED,
        `The project ${projectId} exceeded its limit of items per second. Report the items again in ${limit.retryAfterSeconds} s.`,
        { retryAfterSeconds: limit.retryAfterSeconds },
      );
    }
  };

  return {
    async listUnstoredEvents({ projectId }) {
      return unstored.list(projectId);
    },

    async replayUnstoredEvents(request) {
      return unstored.replay(request);
    },

    async deleteUnstoredEvents(request) {
      return { deletedCount: await unstored.delete(request) };
    },

    async reportEvents({ events }) {
      if (events.length === 0 || events.length > 1000) throw invalidField("events", "Send 1 to 1,000 events per call.");
      await checkProjects(events, "error");
      const read = await reportedEvents(events, clock.now());
      for (let at = 0; at < read.length; at += storedAtOnce)
        await queue.accept({ ...emptyIntake, events: read.slice(at, at + storedAtOnce) });
      return {};
    },

    async reportSessions({ updates, aggregates }) {
      if (updates.length + aggregates.length === 0 || updates.length > 1000 || aggregates.length > 1000) {
        throw invalidField("updates", "Send 1 to 1,000 updates or aggregates per call.");
      }
      await checkProjects([...updates, ...aggregates], "session");
      const receivedAt = clock.now();
      await queue.accept({
        ...emptyIntake,
        sessions: updates.map((update, n) => reportedUpdate(update, `updates[${n}]`, receivedAt)),
        aggregates: aggregates.map((aggregate, n) => reportedAggregate(aggregate, `aggregates[${n}]`, receivedAt)),
      });
      return {};
    },

    async reportFeedback({ feedback }) {
      if (feedback.length === 0 || feedback.length > 1000)
        throw invalidField("feedback", "Send 1 to 1,000 entries per call.");
      await checkProjects(feedback, "feedback");
      const receivedAt = clock.now();
      await queue.accept({
        ...emptyIntake,
        feedback: feedback.map((entry, n) => reportedFeedback(entry, `feedback[${n}]`, receivedAt)),
      });
      return {};
    },
  };
}

/** The events of a call, read in slices of the event loop. Refuses the call for its first invalid event. */
async function reportedEvents(events: ReportEventsRequest["events"], receivedAt: number): Promise<ErrorEvent[]> {
  const slices = new LoopSlices();
  const read: ErrorEvent[] = [];
  for (const [n, event] of events.entries()) {
    read.push(reportedEvent(event, `events[${n}]`, receivedAt));
    await slices.next();
  }
  return read;
}

/** The longest texts. */
const lengths = [
  ["name", limits.text.userName],
  ["email", limits.text.email],
  ["comments", limits.text.feedback],
  ["url", limits.text.url],
  ["source", limits.text.word],
  ["environment", limits.text.environment],
  ["release", limits.text.release],
] as const;

/**
 * Feedback that a service reports; refuses an entry that exceeds a limit of error.proto. `field` names the entry in the
 * refusal.
 */
function reportedFeedback(entry: UserFeedback, field: string, receivedAt: number): UserFeedback {
  const { eventId, sentId } = entry;
  const isId = (id: string) => /^[0-9a-f]{32}$/.test(id);
  if (eventId !== "" && !isId(eventId)) {
    throw invalidField(`${field}.event_id`, "An event id has 32 lower-case hexadecimal digits.");
  }
  if (sentId !== "" && !isId(sentId)) {
    throw invalidField(`${field}.sent_id`, "The id of feedback has 32 lower-case hexadecimal digits.");
  }
  if (eventId === "" && sentId === "") {
    throw invalidField(
      `${field}.sent_id`,
      "Feedback without an event needs an id, so that it is recognized when it is sent again.",
    );
  }
  for (const [name, length] of lengths) {
    if (entry[name].length > length) throw invalidField(`${field}.${name}`, `It has at most ${length} characters.`);
  }
  if (entry.comments.trim() === "") throw invalidField(`${field}.comments`, "Feedback needs a text.");
  return { ...entry, receivedTime: timestamp(receivedAt) };
}

const maxDigest = 64;
const statuses = new Set<number>(SessionStatusSchema.values.map(({ number }) => number));

/**
 * A session update that a service reports, with its defaults; refuses an update that exceeds a limit of ingest.proto.
 */
function reportedUpdate(update: SessionUpdate, field: string, receivedAt: number): SessionUpdate {
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

/** Sessions that a service counted; refuses counts that exceed a limit of ingest.proto. */
function reportedAggregate(aggregate: SessionAggregate, field: string, receivedAt: number): SessionAggregate {
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
