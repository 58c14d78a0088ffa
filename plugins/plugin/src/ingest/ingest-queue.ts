import type { ErrorEvent, SessionAggregate, SessionUpdate, UserFeedback } from "@faultline/proto";

/** The items of one request, stored together or not at all. */
export interface Intake {
  readonly events: readonly ErrorEvent[];
  readonly sessions: readonly SessionUpdate[];
  readonly aggregates: readonly SessionAggregate[];
  readonly feedback: readonly UserFeedback[];
  /**
   * A name for each of the aggregates, in their order: an aggregate is not stored if its name was stored within a week
   * again; by default, all are new. Aggregates have no ids, and queues of several machines may deliver twice.
   */
  readonly receipts?: readonly string[];
}

/** An intake without items, to be spread into others. */
export const emptyIntake: Intake = { events: [], sessions: [], aggregates: [], feedback: [] };

/** Holds accepted intakes until a backend has stored them. */
export interface IngestQueue {
  /** Resolves when the intake is durable; rejects when it is not, and it may then be sent again. */
  accept(intake: Intake): Promise<void>;
  /** Accepted items that are not stored yet; undefined if items are stored when they are accepted. */
  readonly backlog?: Backlog;
}

/** The items that a queue has accepted and not stored yet, and the items that it could not store. */
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

/** An accepted item that could not be stored: one event, session or feedback, with the reason. */
export interface DeadLetter {
  /** Unique; increases with time. */
  readonly id: number;
  /** 0 if the project is unknown because the item cannot be read. */
  readonly projectId: number;
  readonly kind: DeadLetterKind;
  /** The id of the event, or of the event that the feedback is about; empty if there is no event. */
  readonly eventId: string;
  /** The event's title, the session's release or the feedback's text; empty if it is not known. */
  readonly title: string;
  readonly reason: string;
  /** When it was received, in milliseconds since 1970; undefined if it is not known. */
  readonly receivedAt?: number | undefined;
  /** When it was given up, in milliseconds since 1970. */
  readonly deadAt: number;
}

export type DeadLetterKind = "event" | "session" | "feedback" | "unreadable";

/** Chooses dead letters; an omitted field chooses all. */
export interface ChosenLetters {
  /** The letters of one project; 0 for letters without a known project. */
  readonly projectId?: number;
  readonly ids?: readonly number[];
}

/** The result of replaying dead letters. */
export interface Replayed {
  /** Accepted again: they are stored next, or come back. */
  readonly accepted: number;
  /** Still unreadable, and kept. */
  readonly failed: number;
  /** Not tried in this call. */
  readonly left: number;
}

/** Items that could not be stored. Each call rejects while the queue's servers cannot be reached. */
export interface DeadLetters {
  /** The newest first, at most `limit`, default 100. */
  list(chosen?: Pick<ChosenLetters, "projectId">, limit?: number): Promise<DeadLetter[]>;
  count(chosen?: Pick<ChosenLetters, "projectId">): Promise<number>;
  /**
   * Accepts letters again and forgets them, the oldest first, a bounded number per call. An item that still cannot be stored
   * comes back with its new reason. An event counts as received now, so it is kept as long as any other.
   */
  replay(chosen?: ChosenLetters): Promise<Replayed>;
  /** Deletes letters and returns their number. */
  delete(chosen?: ChosenLetters): Promise<number>;
  /** Deletes the letters of a project that is gone for good; true once none is left. */
  deleteProject(projectId: number): Promise<boolean>;
  /** The number of dead letters, by the last report of the servers; undefined if it is not known. */
  readonly kept: number | undefined;
  /** Dead letters that this process has made since it started. */
  readonly made: number;
}

/**
 * Returns events, in their order, with the head by which they are grouped; the payload stays as it was sent. It is on the way of every
 * event: it returns the same list immediately if it has nothing to change, and after a quarter of a second in any case.
 */
export type ReadHeads = (events: readonly ErrorEvent[]) => readonly ErrorEvent[] | Promise<readonly ErrorEvent[]>;
