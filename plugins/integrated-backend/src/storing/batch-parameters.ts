import type { BatchList } from "./batch-columns.ts";

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

/** The rows of one error that have the day already. */
export interface KnownRowsOfError {
  /** Whether a tag is known. */
  has(name: string, value: string): boolean;
}

/** A tag of an error, and the error with the day. */
export type NewRow = readonly [errorAndDay: string, name: string, value: string];

/** One batch, as a storage takes it. The texts are JSON lists of entries, whose columns `batchColumns` names. */
export interface BatchParameters extends Readonly<Record<BatchList, string>> {
  /** All payloads, concatenated. */
  readonly payloads: Buffer;
  /** The time at which the newest event was received. */
  readonly now: number;
}
