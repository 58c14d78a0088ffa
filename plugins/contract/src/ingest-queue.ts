import type { ErrorEvent, SessionAggregate, SessionUpdate, UserFeedback } from "@faultline/proto";

/** What one request brings to be stored: all of it or nothing. */
export interface Intake {
  readonly events: readonly ErrorEvent[];
  readonly sessions: readonly SessionUpdate[];
  readonly aggregates: readonly SessionAggregate[];
  readonly feedback: readonly UserFeedback[];
}

/** An intake with nothing in it, to spread over. */
export const emptyIntake: Intake = { events: [], sessions: [], aggregates: [], feedback: [] };

/** Holds what was accepted until a backend has stored it. */
export interface IngestQueue {
  /** Resolves when the intake is durable; rejects when it is not, and then it may be sent again. */
  accept(intake: Intake): Promise<void>;
}
