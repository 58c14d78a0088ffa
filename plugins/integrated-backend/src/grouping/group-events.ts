import type { ErrorEvent } from "@faultline/proto";
import { groupHash } from "./group-hash.ts";

/** An event and the error it belongs to. */
export interface GroupedEvent {
  readonly event: ErrorEvent;
  /** The hash of the error, in hexadecimal digits. */
  readonly hash: string;
  /** Names the error among those of all projects. */
  readonly key: string;
  /** Whether it makes the error, and so counts against the limit of new ones. */
  readonly isNew?: boolean;
  /** The row id of the error in which version 1 counted such events. Absent: the error it makes was never counted elsewhere. */
  readonly splitFrom?: number;
}

/** Groups events, once each: every decision that depends on an event's error is made between this and Batch. */
export function groupEvents(events: readonly ErrorEvent[]): GroupedEvent[] {
  return events.map((event) => {
    const hash = groupHash(event);
    return { event, hash, key: errorKey(event.projectId, hash) };
  });
}

/** See GroupedEvent.key. */
export function errorKey(projectId: number, hash: string): string {
  return `${projectId}/${hash}`;
}
