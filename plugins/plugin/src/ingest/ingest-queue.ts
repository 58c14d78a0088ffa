import type { ErrorEvent, SessionAggregate, SessionUpdate, UserFeedback } from "@faultline/proto";

/** The items of one request. All or none of them are stored. */
export interface Intake {
  readonly events: readonly ErrorEvent[];
  readonly sessions: readonly SessionUpdate[];
  readonly aggregates: readonly SessionAggregate[];
  readonly feedback: readonly UserFeedback[];
  /**
   * A name for each of the aggregates, in their order. An aggregate is not stored if its name was already stored within
   * a week. By default, all are new. Aggregates have no ids, and queues of several machines may deliver twice.
   */
  readonly receipts?: readonly string[];
}

/** An intake without items, to be spread into others. */
export const emptyIntake: Intake = { events: [], sessions: [], aggregates: [], feedback: [] };

/** Holds accepted intakes until a backend has stored them. */
export interface IngestQueue {
  /** Resolves when the intake is durable. Rejects if it is not; the intake may then be sent again. */
  accept(intake: Intake): Promise<void>;
  /** Accepted items that are not stored yet. Undefined if items are stored when they are accepted. */
  readonly backlog?: Backlog;
}

/** The items that a queue has accepted but not stored yet, and the items that it could not store. */
export interface Backlog {
  /** Whether at least one of its servers can be reached now. */
  isConnected(): boolean;
  /** How far storing is behind accepting, from the last report of the servers. Undefined before the first report. */
  lag(): Lag | undefined;
  readonly deadLetters: DeadLetters;
}

/** How far storing is behind accepting, on the clocks of the queue's servers, in milliseconds since 1970. */
export interface Lag {
  /** When the newest message was accepted. 0 before the first. */
  readonly acceptedAt: number;
  /** Everything accepted before this time is stored, or is a dead letter. */
  readonly storedAt: number;
  /** Messages that wait to be stored. Each holds one or more events. */
  readonly pending: number;
  /** The age of the oldest waiting message, in milliseconds. 0 if none waits. */
  readonly lagMs: number;
  /** When the servers reported it. */
  readonly reportedAt: number;
  /** When they were queried, by `performance.now()`. It ages while they do not answer. */
  readonly askedAt: number;
}

/** An accepted item that could not be stored: one event, session or feedback, with the reason. */
export interface DeadLetter {
  /** Unique; increases with time. */
  readonly id: number;
  /** 0 if the project is unknown because the item cannot be read. */
  readonly projectId: number;
  readonly kind: DeadLetterKind;
  /** The id of the event, or of the event that the feedback is about. Empty if there is no event. */
  readonly eventId: string;
  /** The event's title, the session's release or the feedback's text. Empty if it is not known. */
  readonly title: string;
  readonly reason: string;
  /** When it was received, in milliseconds since 1970. Undefined if it is not known. */
  readonly receivedAt?: number | undefined;
  /** When it was given up, in milliseconds since 1970. */
  readonly deadAt: number;
}

export type DeadLetterKind = "event" | "session" | "feedback" | "unreadable";

/** Selects dead letters. An omitted field matches all. */
export interface ChosenLetters {
  /** The letters of one project. 0 for letters without a known project. */
  readonly projectId?: number;
  readonly ids?: readonly number[];
}

/** The result of replaying dead letters. */
export interface Replayed {
  /** Letters that were accepted again: they are stored next, or come back as dead letters. */
  readonly accepted: number;
  /** Letters that are still unreadable and were kept. */
  readonly failed: number;
  /** Letters that this call did not try. */
  readonly left: number;
}

/** Items that could not be stored. Each call rejects while the queue's servers cannot be reached. */
export interface DeadLetters {
  /** Dead letters, the newest first, at most `limit` (default: 100). */
  list(chosen?: Pick<ChosenLetters, "projectId">, limit?: number): Promise<DeadLetter[]>;
  count(chosen?: Pick<ChosenLetters, "projectId">): Promise<number>;
  /**
   * Accepts letters again and forgets them, the oldest first, a bounded number per call. An item that still cannot be
   * stored comes back with its new reason. An event counts as received now, so it is kept as long as any other.
   */
  replay(chosen?: ChosenLetters): Promise<Replayed>;
  /** Deletes letters and returns their number. */
  delete(chosen?: ChosenLetters): Promise<number>;
  /** Deletes the letters of a permanently deleted project. Returns true when none is left. */
  deleteProject(projectId: number): Promise<boolean>;
  /** The number of dead letters, from the last report of the servers. Undefined if it is not known. */
  readonly kept: number | undefined;
  /** Dead letters that this process has made since it started. */
  readonly made: number;
}

/**
 * Returns events in their order with the head by which they are grouped; the payload stays unchanged. Every event
 * passes through it: it returns the same list immediately if there is nothing to change, and after a quarter of a
 * second in any case.
 */
export type ReadHeads = (events: readonly ErrorEvent[]) => readonly ErrorEvent[] | Promise<readonly ErrorEvent[]>;
