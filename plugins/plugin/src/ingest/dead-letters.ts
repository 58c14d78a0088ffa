/** An accepted item that could not be stored: one event, session or feedback, with the reason. */
export interface DeadLetter {
  /** Unique; increases with time. */
  readonly id: number;
  /** 0: not known, as it cannot be read. */
  readonly projectId: number;
  readonly kind: DeadLetterKind;
  /** The id of the event, or of the event that the feedback is about. Empty: there is none. */
  readonly eventId: string;
  /** The event's title, the session's release or the feedback's text. Empty: not known. */
  readonly title: string;
  readonly reason: string;
  /** When it was received, in milliseconds since 1970. Absent: not known. */
  readonly receivedAt?: number | undefined;
  /** When it was given up, in milliseconds since 1970. */
  readonly deadAt: number;
}

export type DeadLetterKind = "event" | "session" | "feedback" | "unreadable";

/** Which dead letters; absent: all. */
export interface ChosenLetters {
  /** Those of one project; 0: those of none. */
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
   * Accepts them again and forgets them, the oldest first, a bounded number a call. An item that still cannot be stored
   * comes back with its new reason. An event counts as received now, so it is kept as long as any other.
   */
  replay(chosen?: ChosenLetters): Promise<Replayed>;
  /** Deletes them and returns how many. */
  delete(chosen?: ChosenLetters): Promise<number>;
  /** Deletes those of a project that is gone for good; true as none is left then. */
  deleteProject(projectId: number): Promise<boolean>;
  /** How many there are, by the last report of the servers; undefined: not known. */
  readonly kept: number | undefined;
  /** How many this process has made since it started. */
  readonly made: number;
}
