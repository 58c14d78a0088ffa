import type { ErrorEvent, SessionAggregate, SessionUpdate, UserFeedback } from "@faultline/proto";
import type { DeadLetters } from "./dead-letters.ts";

/** What one request brings to be stored: all of it or nothing. */
export interface Intake {
  readonly events: readonly ErrorEvent[];
  readonly sessions: readonly SessionUpdate[];
  readonly aggregates: readonly SessionAggregate[];
  readonly feedback: readonly UserFeedback[];
  /**
   * Names the aggregates, one each in their order: what was stored under the same name is not stored again, for a week.
   * Absent: all are new. Aggregates have no id of their own, and queues of several machines deliver twice at times.
   */
  readonly receipts?: readonly string[];
}

/** An intake with nothing in it, to spread over. */
export const emptyIntake: Intake = { events: [], sessions: [], aggregates: [], feedback: [] };

/** Holds what was accepted until a backend has stored it. */
export interface IngestQueue {
  /** Resolves when the intake is durable; rejects when it is not, and then it may be sent again. */
  accept(intake: Intake): Promise<void>;
  /** What was accepted and is not stored. Absent: there is no such thing, as it is accepted when it is stored. */
  readonly backlog?: Backlog;
}

/** What a queue that accepts before it stores has yet to store, and what it could not store. */
export interface Backlog {
  /** Whether one of its servers can be asked now. */
  isConnected(): boolean;
  /** How far storing is behind accepting, as the servers told last; undefined before they told it once. */
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
  /** When the servers told it. */
  readonly toldAt: number;
  /** When they were asked, by `performance.now()`: it grows old when they no longer answer. */
  readonly askedAt: number;
}
