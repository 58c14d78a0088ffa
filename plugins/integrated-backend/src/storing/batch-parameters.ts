import type { BatchList } from "./batch-columns.ts";

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

/** One batch, as a storage takes it. The texts are JSON lists of entries, whose columns `batchColumns` names. */
export interface BatchParameters extends Readonly<Record<BatchList, string>> {
  /** All payloads behind each other. */
  readonly payloads: Buffer;
  /** When the newest event was received. */
  readonly now: number;
}
