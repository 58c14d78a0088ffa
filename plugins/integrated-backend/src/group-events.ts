import type { ErrorEvent } from "@faultline/proto";
import { groupHash } from "./grouping.ts";

/** An event and the hash of the error it belongs to. */
export interface GroupedEvent {
  readonly event: ErrorEvent;
  readonly hash: string;
}

/** Groups events, once each: whatever is decided by the error that an event belongs to is decided between this and Batch. */
export function groupEvents(events: readonly ErrorEvent[]): GroupedEvent[] {
  return events.map((event) => ({ event, hash: groupHash(event) }));
}
