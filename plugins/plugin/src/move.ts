import type { Kysely, RawBuilder } from "kysely";

/** The databases that the product can store in. */
export type DatabaseKind = "sqlite" | "postgresql";

/** How a move to PostgreSQL copies a plugin's data from SQLite. Every table of its migrations is named here. */
export interface Movable {
  /** Tables that are copied row by row, with the same columns on both databases. */
  readonly tables: readonly MovedTable[];
  /** All other tables: the tables that `copy` writes, and the tables with nothing to move. */
  readonly otherTables: Readonly<Record<DatabaseKind, readonly string[]>>;
  /**
   * Copies and verifies data that is too large to be copied whole each time, or that the two store differently. Absent:
   * there is no such data.
   */
  copy?(move: Move): Promise<readonly CopiedTable[]>;
}

/** A table that a move copies whole each time: its content on PostgreSQL is replaced. */
export interface MovedTable {
  readonly name: string;
  /** The columns of its primary key on SQLite, by which its rows are walked. */
  readonly key: readonly string[];
  /** Where it has no project on SQLite: the table that has it, and the column here that holds the id of the row there. */
  readonly owner?: { readonly table: string; readonly column: string };
  /** Whether it has foreign keys to tables of the core: it is then read as of the same moment as they. */
  readonly refersToCore?: boolean;
  /** Rows that are read together, fewer if a row may be large. Default: 2,000. */
  readonly rowsAtOnce?: number;
}

/** A row as SQLite gives it. */
export type MovedRow = Readonly<Record<string, unknown>>;

/** A move under way. */
export interface Move {
  /** SQLite, read only. A service may write it meanwhile, so that each statement may find another state. */
  readonly source: Kysely<unknown>;
  /** PostgreSQL, which nobody else uses until the cut-over. */
  readonly target: Kysely<unknown>;
  /** Whether all payloads are compared, or some. */
  readonly verify: "sample" | "all";
  checksumOf(table: string): Promise<RowChecksum>;
  /** Reports the progress of a table; call the returned function with the number of rows copied since the last call. */
  progress(table: string, total: number): (rows: number) => void;
}

/**
 * 64 bits of a row's SHA-256, equal on both databases when all columns that PostgreSQL's table has are equal. The checksums of
 * many rows are joined by exclusive or, whatever their order.
 */
export interface RowChecksum {
  ofRow(row: MovedRow): bigint;
  /** The same as an expression of the type bigint, over the columns of the table. */
  readonly sql: RawBuilder<unknown>;
}

/** The result of copying a table. */
export interface CopiedTable {
  readonly table: string;
  /** Rows in SQLite. */
  readonly rows: number;
  /** Rows that were missing or different on PostgreSQL, and were written. */
  readonly written: number;
  /** Rows that are gone from SQLite, and were deleted on PostgreSQL. */
  readonly deleted: number;
  /** Rows that were compared beyond their checksums. */
  readonly compared?: number;
  /** Differences that remain, a sentence each. */
  readonly differences: readonly string[];
}
