import type { ErrorStatus } from "@faultline/proto";
import type { Kysely } from "kysely";

/**
 * What happened to an error: it is new, a new event reopened it, somebody set another status, it was deleted, or its deletion
 * was undone.
 */
export type ErrorChangeKind = "created" | "reopened" | "status" | "deleted" | "restored";

/**
 * A change of an error. Further events of an open error are not changes. The error or its project may be deleted by the
 * time the change is delivered.
 */
export interface ErrorChange {
  readonly projectId: number;
  readonly errorId: string;
  readonly kind: ErrorChangeKind;
  /** Undefined: it was none, or is not known. */
  readonly statusBefore: ErrorStatus | undefined;
  readonly status: ErrorStatus;
}

/**
 * Takes changes of errors, at most 500 in the order of their occurrence, about a second after their commit. The backend
 * notes them in the transaction that makes the change, and this runs in the transaction that takes them from the notes:
 * whatever it writes by `transaction` is written exactly once, whichever process dies when. When it throws, the same
 * changes come again. It holds the one writer of SQLite meanwhile, so it notes the work to be done and calls no other
 * system.
 */
export type HandleErrorChanges = (
  changes: readonly ErrorChange[],
  transaction: { write<Tables>(): Kysely<Tables> },
) => Promise<void>;

/** Notes changes for the plugins that take them, from a backend whose errors are not in this database. */
export interface ErrorChanges {
  note(changes: readonly ErrorChange[]): Promise<void>;
}
