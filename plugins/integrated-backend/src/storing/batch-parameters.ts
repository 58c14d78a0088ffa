/** State that a writer keeps between batches. */
export interface WriterCache {
  readonly rowIds: { next(): number };
  readonly knownRows: {
    /** The users and tags of an error whose row has the day already. */
    of(errorAndDay: string): ReadonlySet<string>;
    add(rows: Iterable<NewRow>): void;
    clear(): void;
    /** Does work that gives the hashes of errors to others: what was known of them before or meanwhile is forgotten. */
    forgetAround<T>(work: () => Promise<T>): Promise<T>;
  };
}

/** A user or tag of an error, and the error with the day. */
export type NewRow = readonly [errorAndDay: string, row: string];

/** One batch, as a storage takes it. All but `payloads` are JSON lists of lists. */
export interface BatchParameters {
  /** An entry a group: project, hash, title, type, value, culprit, level, platform, count, first, last, releases. */
  readonly errors: string;
  /** An entry an event: row id, project, event id, group hash, times, title, user, release, environment, level, client key. */
  readonly events: string;
  /** All payloads behind each other. */
  readonly payloads: Buffer;
  /** An entry a payload: row id, offset from 1 and length in `payloads`, then encoding, start and length of the JSON. */
  readonly places: string;
  /** Project, group hash, hour, count. */
  readonly hours: string;
  /** Project, group hash, user, day. */
  readonly users: string;
  /** Project, group hash, key, value, day. */
  readonly tags: string;
  /** What projects store more: project, count of events, bytes of payloads. */
  readonly usage: string;
  /** Projects with errors that come to be: project, day, count, and until when these use up the limit from `now` on. */
  readonly newErrors: string;
  /** When the newest event was received. */
  readonly now: number;
}
