import type { EventTable } from "../tables.ts";
import type { CountedEvent, Counts } from "./counts.ts";

/** The end of a range of row ids that has none. */
export const everyRowId = Number.MAX_SAFE_INTEGER;

/** An event that is stored, under the key of its error; see GroupedEvent. The batch has counted its user. */
export interface StoredEvent extends CountedEvent {
  readonly rowId: number;
  readonly errorKey: string;
  readonly user: "";
  readonly names: "";
}

/** Events that are stored and not counted. */
export interface UncountedEvents {
  readonly rows: readonly EventTable[];
  /** Whether their users are not counted either. */
  readonly withUsers: boolean;
  /** Adds their counts, keyed by row ids of errors. False when one of them was deleted meanwhile: nothing is added then. */
  add(counts: Counts): Promise<boolean>;
}

/**
 * The number of events of each error by value of a tag (`integrated_count`) and by user (`integrated_user`). Each event is counted once, some time
 * after it is stored; deleting a counted event subtracts it.
 */
export interface CountStorage {
  /** Notes events after their transaction. A database whose processes share the counts counts them in `countEvents`. */
  note(stored: readonly StoredEvent[]): void;
  /** Writes what was noted when that is much, so that its memory has a bound. */
  keepSmall(): Promise<void>;
  /** Writes what was noted. */
  settle(): Promise<void>;
  /** Gives noted events of an error its row id, within the transaction that takes its hash away. */
  take(error: { readonly projectId: number; readonly hash: string; readonly errorId: number }): void;
  /** The next events that `countEvents` counts; undefined: all are counted, or noted. */
  uncounted(): Promise<UncountedEvents | undefined>;
  /** Whether every event of a project is counted, after `settle`. */
  isComplete(projectId: number): Promise<boolean>;
}
