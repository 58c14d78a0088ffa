import { hash as digest } from "node:crypto";
import type { ErrorEvent } from "@faultline/proto";
import { groupParts } from "@faultline/sentry-event";

/** An event and the error it belongs to. */
export interface GroupedEvent {
  readonly event: ErrorEvent;
  /** The hash of the error, in hexadecimal digits. */
  readonly hash: string;
  /** Identifies the error across all projects. */
  readonly key: string;
  /** Whether the event creates the error, and therefore counts against the limit of new errors. */
  readonly isNew?: boolean;
  /**
   * The row id of the error in which version 1 counted such events. Undefined if they were never counted in another
   * error.
   */
  readonly splitFrom?: number;
}

/** Groups each event once. Every decision that depends on an event's error is made between this step and Batch. */
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

/**
 * Stored with each error. A changed algorithm gets a new number, and errors of older versions are claimed (claims.ts).
 */
export const groupingVersion = 2;

/** The group an event belongs to, as 32 hexadecimal digits: a digest of the identity of its error. */
export function groupHash(event: ErrorEvent): string {
  return digest("sha256", `${groupingVersion}\u001f${groupParts(event).join("\u001f")}`, "hex").slice(0, 32);
}
