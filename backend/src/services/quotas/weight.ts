import type { Intake } from "@faultline/plugin";

/** Bytes of an event's rows, not counting its payload and its new tags. ErrorBackend.usage counts the same. */
const eventRowBytes = 512;

/** Bytes of a session or of feedback in total. */
const smallItemBytes = 1024;

/** The bytes and events that an intake adds to a project. */
export interface Weight {
  readonly projectId: number;
  readonly items: number;
  readonly bytes: number;
}

/**
 * The weight of an intake by project. A single event, the usual case, returns a single entry without building a map.
 */
export function weightsOf({ events, sessions, aggregates, feedback }: Intake): readonly Weight[] {
  const [first, second] = events;
  if (first && !second && sessions.length + aggregates.length + feedback.length === 0) {
    return [{ projectId: first.projectId, items: 1, bytes: first.payload.length + eventRowBytes }];
  }
  const weights = new Map<number, { projectId: number; items: number; bytes: number }>();
  const add = (projectId: number, bytes: number) => {
    const weight = weights.get(projectId);
    if (weight) {
      weight.items++;
      weight.bytes += bytes;
    } else weights.set(projectId, { projectId, items: 1, bytes });
  };
  for (const { projectId, payload } of events) add(projectId, payload.length + eventRowBytes);
  for (const { projectId } of [...sessions, ...aggregates, ...feedback]) add(projectId, smallItemBytes);
  return [...weights.values()];
}
