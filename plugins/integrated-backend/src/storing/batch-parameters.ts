import { eventColumns } from "../tables.ts";

/** State that a writer keeps between batches. */
export interface WriterCache {
  readonly rowIds: { next(): number };
  readonly knownRows: {
    of(errorAndDay: string): KnownRowsOfError;
    add(rows: Iterable<NewRow>): void;
    clear(): void;
    /** Runs work that moves hashes to other errors, and forgets all groups known before it or during it. */
    forgetAround<T>(work: () => Promise<T>): Promise<T>;
  };
}

/** The tags of one error with a row that already has the day. */
export interface KnownRowsOfError {
  /** Whether a tag is known. */
  has(name: string, value: string): boolean;
}

/** A tag of an error, preceded by the error and the day. */
export type NewRow = readonly [errorAndDay: string, name: string, value: string];

/**
 * One batch in the form that a storage accepts. The texts are JSON lists of entries with the columns in `batchColumns`.
 */
export interface BatchParameters extends Readonly<Record<BatchList, string>> {
  /** All payloads, concatenated. */
  readonly payloads: Buffer;
  /** The time at which the newest event was received. */
  readonly now: number;
}

/**
 * The columns of an entry of each list of a batch, in order. `Batch` writes entries in this order, and SQLite's
 * procedure reads them by `readOf`. PostgreSQL's procedures are in migrations, which write out the positions.
 */
export const batchColumns = {
  /** An entry for each group. */
  errors: [
    "project_id",
    "group_hash",
    ...eventColumns,
    "event_count",
    "first_seen_at",
    "last_seen_at",
    "first_release",
    "last_release",
  ],
  /** An entry for each event. `key_id` is its client key, or 0 if it has none. */
  events: [
    "project_id",
    "group_hash",
    "id",
    "event_id",
    "occurred_at",
    "received_at",
    "title",
    "user",
    "release",
    "environment",
    "level",
    "key_id",
  ],
  /** The position of a payload in the concatenated bytes, from 1, and its stored encoding, start and length. */
  places: ["event_row_id", "offset", "size", "encoding", "start", "length"],
  hours: ["project_id", "group_hash", "hour", "event_count"],
  /** PostgreSQL reads the first four columns, and counts users later; see CountStorage. */
  users: ["project_id", "group_hash", "user", "last_seen_day", "event_count", "first_seen_at", "last_seen_at", "names"],
  tags: ["project_id", "group_hash", "key", "value", "last_seen_day"],
  /** The growth of a project's storage. */
  usage: ["project_id", "event_count", "payload_bytes"],
  /** Projects with new errors, and the time until which the new errors use up the limit. */
  newErrors: ["project_id", "day", "error_count", "used_until"],
} as const;

export type BatchList = keyof typeof batchColumns;

/** A value for each of the columns. */
export type Values<Columns extends readonly string[]> = { readonly [Place in keyof Columns]: string | number };

/** An entry of a list. */
export type BatchEntry<List extends BatchList> = Values<(typeof batchColumns)[List]>;

/** The SQL by which SQLite reads each column of an entry, by name: `j.value ->> 2`, or `unhex` for bytes. */
export function readOf<List extends BatchList>(
  list: List,
): Readonly<Record<(typeof batchColumns)[List][number], string>> {
  const reads = batchColumns[list].map((column, place) => {
    const read = `j.value ->> ${place}`;
    return [column, column === "group_hash" || column === "event_id" ? `unhex(${read})` : read];
  });
  return Object.fromEntries(reads) as Record<(typeof batchColumns)[List][number], string>;
}
