import type { Kysely, RawBuilder } from "kysely";

/** The databases that the product supports. */
export type DatabaseKind = "sqlite" | "postgresql";

/** How a move to PostgreSQL copies a plugin's data from SQLite. Every table of its migrations is named here. */
export interface Movable {
  /** Tables that are copied row by row, with the same columns on both databases. */
  readonly tables: readonly MovedTable[];
  /** All other tables: the tables that `copy` writes, and the tables with nothing to move. */
  readonly otherTables: Readonly<Record<DatabaseKind, readonly string[]>>;
  /**
   * Copies and verifies data that is too large to be copied completely each time, or that the two databases store
   * differently. Undefined if there is no such data.
   */
  copy?(move: Move): Promise<readonly CopiedTable[]>;
}

/** A table that is copied completely by each move, which replaces its content on PostgreSQL. */
export interface MovedTable {
  readonly name: string;
  /** The columns of its primary key on SQLite, by which its rows are read. */
  readonly key: readonly string[];
  /**
   * For a table without a project on SQLite: the table that has the project, and the column here with the id of its
   * row.
   */
  readonly owner?: { readonly table: string; readonly column: string };
  /** Whether it has foreign keys to tables of the core. It is then read in the same snapshot as they are. */
  readonly refersToCore?: boolean;
  /** Rows that are read together, fewer if a row may be large. Default: 2,000. */
  readonly rowsAtOnce?: number;
}

/** A row in the form in which SQLite returns it. */
export type MovedRow = Readonly<Record<string, unknown>>;

/** A move under way. */
export interface Move {
  /** SQLite, read only. A running service may write to it, so each statement may see a different state. */
  readonly source: Kysely<unknown>;
  /** PostgreSQL. Nothing else uses it until the cut-over. */
  readonly target: Kysely<unknown>;
  /** Whether all payloads are compared, or a sample. */
  readonly verify: "sample" | "all";
  checksumOf(table: string): Promise<RowChecksum>;
  /** Reports the progress of a table. Call the returned function with the number of rows copied since the last call. */
  progress(table: string, total: number): (rows: number) => void;
}

/**
 * 64 bits of a row's SHA-256, equal on both databases if all columns of PostgreSQL's table are equal. The checksums of
 * many rows are combined by exclusive or, so that their order does not matter.
 */
export interface RowChecksum {
  ofRow(row: MovedRow): bigint;
  /** The same checksum as an SQL expression of type bigint, over the columns of the table. */
  readonly sql: RawBuilder<unknown>;
}

/** The result of copying a table. */
export interface CopiedTable {
  readonly table: string;
  /** Rows in SQLite. */
  readonly rows: number;
  /** Rows that were missing or different on PostgreSQL and were written. */
  readonly written: number;
  /** Rows that no longer exist in SQLite and were deleted on PostgreSQL. */
  readonly deleted: number;
  /** Rows that were compared in full, beyond their checksums. */
  readonly compared?: number;
  /** The remaining differences, one sentence each. */
  readonly differences: readonly string[];
}
