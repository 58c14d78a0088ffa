import type { ErrorEvent } from "@faultline/proto";

/** Holds accepted events until a backend has stored them. */
export interface IngestQueue {
  /** Resolves when the events are durable; rejects when they are not, and then they may be sent again. */
  accept(events: readonly ErrorEvent[]): Promise<void>;
}
