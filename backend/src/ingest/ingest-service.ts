import { gunzipSync } from "node:zlib";
import { invalidField, ServiceError, timestamp, type Clock, type Handlers, type IngestQueue } from "@faultline/plugin";
import { Backend, ErrorReason, IngestService, PayloadEncoding, type ErrorEvent } from "@faultline/proto";
import type { CoreCall } from "../core.ts";
import type { ProjectDirectory } from "../projects/project-directory.ts";
import { trackingOff } from "../projects/project-directory.ts";

const dayMs = 24 * 3_600_000;

/** Events from internal services, over gRPC; SDKs come in by the bridge. */
export function ingestService(parts: {
  projects: ProjectDirectory;
  queue: IngestQueue;
  clock: Clock;
  integratedOffered: boolean;
}): Handlers<typeof IngestService, CoreCall> {
  const { projects, queue, clock, integratedOffered } = parts;
  return {
    async reportEvents({ events }) {
      if (events.length === 0 || events.length > 1000) throw invalidField("events", "Send 1 to 1,000 events a call.");
      for (const projectId of new Set(events.map((event) => event.projectId))) {
        const backend = await projects.backend(projectId);
        if (backend.kind !== Backend.INTEGRATED)
          throw new ServiceError(ErrorReason.ERROR_TRACKING_DISABLED, trackingOff);
        if (!integratedOffered) {
          throw new ServiceError(
            ErrorReason.INTEGRATED_NOT_OFFERED,
            "The integrated backend is offered on the hosted offering only, so this installation takes no events.",
          );
        }
      }
      const receivedAt = clock.now();
      await queue.accept(events.map((event, n) => checked(event, `events[${n}]`, receivedAt)));
      return {};
    },
  };
}

const maxPayloadBytes = 1024 * 1024;

/** Refuses what could not be read again later. */
function checkPayload({ payload, payloadEncoding }: ErrorEvent, field: string): void {
  if (payload.length > maxPayloadBytes) throw invalidField(field, "An event has at most 1 MiB.");
  if (payloadEncoding !== PayloadEncoding.GZIP) return;
  try {
    gunzipSync(payload, { maxOutputLength: 2 * maxPayloadBytes });
  } catch {
    throw invalidField(field, "The payload is not valid gzip of at most 2 MiB.");
  }
}

function checked(event: ErrorEvent, field: string, receivedAt: number): ErrorEvent {
  if (!/^[0-9a-f]{32}$/.test(event.eventId)) {
    throw invalidField(`${field}.event_id`, "An event id has 32 lower-case hexadecimal digits.");
  }
  checkPayload(event, `${field}.payload`);
  const occurredAt = event.occurredTime
    ? Number(event.occurredTime.seconds) * 1000 + event.occurredTime.nanos / 1_000_000
    : receivedAt;
  const bounded = Math.min(Math.max(occurredAt, receivedAt - 30 * dayMs), receivedAt + 60_000);
  return {
    ...event,
    occurredTime: timestamp(bounded),
    receivedTime: timestamp(receivedAt),
    level: event.level || "error",
    platform: event.platform || "other",
  };
}
