import {
  emptyIntake,
  invalidField,
  ServiceError,
  type Clock,
  type Handlers,
  type IngestQueue,
  type RateCategory,
} from "@faultline/plugin";
import { LoopSlices } from "@faultline/plugin/flow";
import { Backend, ErrorReason, IngestService, type ErrorEvent, type ReportEventsRequest } from "@faultline/proto";
import type { CoreCall } from "../access/guard.ts";
import { type ProjectDirectory, trackingOff } from "../projects/project-directory.ts";
import { eventsRefused } from "../settings/integrated-offering.ts";
import type { RateLimits } from "../../host/ingest/rate-limits.ts";
import type { Unstored } from "../../host/ingest/unstored.ts";
import { reportedEvent } from "./reported-event.ts";
import { reportedFeedback } from "./reported-feedback.ts";
import { reportedAggregate, reportedUpdate } from "./reported-session.ts";

/** How many events of a call are stored together. The events of SDKs wait while a batch keeps the event loop busy. */
const storedAtOnce = 100;

/** Events from internal services, over gRPC; SDKs come in by the bridge. */
export function ingestService(parts: {
  projects: ProjectDirectory;
  queue: IngestQueue;
  limits: Pick<RateLimits, "spend">;
  unstored: Unstored;
  clock: Clock;
  integratedOffered: boolean;
}): Handlers<typeof IngestService, CoreCall> {
  const { projects, queue, limits, unstored, clock, integratedOffered } = parts;

  const checkProjects = async (items: readonly { readonly projectId: number }[], category: RateCategory) => {
    for (const [projectId, ofProject] of Map.groupBy(items, (item) => item.projectId)) {
      const [backend] = await projects.backend(await projects.project(projectId));
      if (backend.kind !== Backend.INTEGRATED) {
        throw new ServiceError(ErrorReason.ERROR_TRACKING_DISABLED, trackingOff);
      }
      if (!integratedOffered) throw eventsRefused();
      const admission = { keyId: 0, projectId, network: "", limits: undefined };
      const limit = limits.spend(admission, category, ofProject.length);
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

/** The events of a call, read in slices of the event loop. Refuses the call for the first that is wrong. */
async function reportedEvents(events: ReportEventsRequest["events"], receivedAt: number): Promise<ErrorEvent[]> {
  const slices = new LoopSlices();
  const read: ErrorEvent[] = [];
  for (const [n, event] of events.entries()) {
    read.push(reportedEvent(event, `events[${n}]`, receivedAt));
    await slices.next();
  }
  return read;
}
