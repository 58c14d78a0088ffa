import type { ErrorEvent, SessionAggregate, SessionUpdate, UserFeedback } from "@faultline/proto";
import type { DeadLetters } from "./dead-letters.ts";

/** The items of one request, stored together or not at all. */
export interface Intake {
  readonly events: readonly ErrorEvent[];
  readonly sessions: readonly SessionUpdate[];
  readonly aggregates: readonly SessionAggregate[];
  readonly feedback: readonly UserFeedback[];
  /**
   * A name for each of the aggregates, in their order: an aggregate whose name was stored within a week is not stored
   * again. Absent: all are new. Aggregates have no id of their own, and queues of several machines may deliver twice.
   */
  readonly receipts?: readonly string[];
}

/** An intake without items, to be spread into others. */
export const emptyIntake: Intake = { events: [], sessions: [], aggregates: [], feedback: [] };

/** Holds accepted intakes until a backend has stored them. */
export interface IngestQueue {
  /** Resolves when the intake is durable; rejects when it is not, and it may then be sent again. */
  accept(intake: Intake): Promise<void>;
  /** Accepted items that are not stored yet. Absent: items are stored when they are accepted. */
  readonly backlog?: Backlog;
}

/** The items that a queue has accepted and not stored, and those that it could not store. */
export interface Backlog {
  /** Whether one of its servers can be reached now. */
  isConnected(): boolean;
  /** How far storing is behind accepting, by the last report of the servers; undefined before the first. */
  lag(): Lag | undefined;
  readonly deadLetters: DeadLetters;
}

/** How far storing is behind accepting, by the clocks of the queue's servers, in milliseconds since 1970. */
export interface Lag {
  /** When the newest message was accepted; 0 before the first. */
  readonly acceptedAt: number;
  /** Everything accepted before is stored, or is a dead letter. */
  readonly storedAt: number;
  /** Messages that wait to be stored; each holds one event or many. */
  readonly pending: number;
  /** The age of the oldest that waits, in milliseconds; 0 when none does. */
  readonly lagMs: number;
  /** When the servers reported it. */
  readonly reportedAt: number;
  /** When they were queried, by `performance.now()`: it grows old when they no longer answer. */
  readonly askedAt: number;
}
