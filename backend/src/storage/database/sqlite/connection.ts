import { setTimeout as delay } from "node:timers/promises";
import { BoundedMap } from "@faultline/plugin/flow";
import type { CompiledQuery, QueryResult } from "kysely";
import sqlite3 from "sqlite3";

/** Statements that begin with these words, or have a RETURNING clause, return rows. */
const readsRows = /^\s*(select|with|pragma|explain|values)\b|\breturning\b/i;

/** More statements than the product has, so that each is compiled once per connection. */
const statementCacheSize = 300;

/**
 * SQLITE_OPEN_EXRESCODE of sqlite3.h, which the driver passes on. It lets errors distinguish a failed sync from a
 * failed write.
 */
const extendedResultCodes = 0x02000000;

/**
 * How long a statement waits for a lock of another process. Two batches wait one after the other, and SDKs wait only a
 * few seconds.
 */
export const lockWaitMs = 2_000;

/** `mend` writes nothing but the rollback of a journal; it creates no file. */
export type Access = "write" | "read" | "mend";

const openModes: Readonly<Record<Access, number>> = {
  write: sqlite3.OPEN_READWRITE | sqlite3.OPEN_CREATE,
  read: sqlite3.OPEN_READONLY,
  mend: sqlite3.OPEN_READWRITE,
};

/** One connection of the driver, with its prepared statements. */
export class SqliteConnection {
  readonly #database: sqlite3.Database;
  readonly #statements = new BoundedMap<string, { statement: sqlite3.Statement; readsRows: boolean }>(
    statementCacheSize,
    ({ statement }) => statement.finalize(),
  );
  #running = 0;
  #isClosing = false;
  /** The error that ended the use of the connection. */
  #broken: Error | undefined;

  private constructor(database: sqlite3.Database) {
    this.#database = database;
  }

  static async open(file: string, access: Access): Promise<SqliteConnection> {
    const mode = openModes[access];
    const database = await new Promise<sqlite3.Database>((resolve, reject) => {
      const opened = new sqlite3.Database(file, mode | extendedResultCodes, (error) =>
        error ? reject(error) : resolve(opened),
      );
    });
    database.configure("busyTimeout", lockWaitMs);
    const connection = new SqliteConnection(database);
    await connection.#configure(access);
    return connection;
  }

  /**
   * Sets the pragmas that every guarantee needs and reads them back, because SQLite ignores a pragma it cannot obey.
   */
  async #configure(access: Access): Promise<void> {
    const wanted: Record<string, string | number> = {
      // SQLite's own checkpoints do not report a failed sync, and delay the answer to a commit.
      ...(access === "write" && { journal_mode: "wal", journal_size_limit: 67_108_864, wal_autocheckpoint: 0 }),
      synchronous: 2, // FULL, because NORMAL with WAL keeps commits through a crash of the process, not of the machine
      foreign_keys: 1,
      trusted_schema: 0,
      cache_size: access === "write" ? -16_000 : -4_000, // KiB
    };
    for (const [name, value] of Object.entries(wanted)) {
      await this.#all(`pragma ${name} = ${value}`, []);
      const [row] = await this.#all(`pragma ${name}`, []);
      const got = row && Object.values(row)[0];
      if (got !== value) throw new Error(`SQLite did not accept ${name} = ${value}; it has ${String(got)}.`);
    }
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (this.#broken) throw this.#broken;
    this.#running += 1;
    try {
      return await this.#execute<R>(query);
    } finally {
      this.#running -= 1;
    }
  }

  /**
   * Ends the running statements. SQLite ends only statements that have begun, and some may still wait for a thread, so
   * the interrupt is repeated until nothing runs.
   */
  async interrupt(): Promise<void> {
    while (this.#running > 0 && !this.#isClosing) {
      this.#database.interrupt();
      await delay(10);
    }
  }

  async #execute<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const cached = this.#statements.get(sql) ?? (await this.#prepare(sql));
    return new Promise((resolve, reject) => {
      // A statement that met SQLITE_BUSY stays open until it is reset, and SQLite commits no other statement meanwhile.
      const fail = (error: Error) => cached.statement.reset(() => reject(this.#known(error)));
      if (cached.readsRows) {
        cached.statement.all<R>(parameters, (error, rows) => (error ? fail(error) : resolve({ rows })));
      } else {
        cached.statement.run(parameters, function (error) {
          if (error) fail(error);
          else resolve({ rows: [], numAffectedRows: BigInt(this.changes), insertId: BigInt(this.lastID) });
        });
      }
    });
  }

  /**
   * The error in the form the rest of the code expects. After a failed sync the connection does nothing more and the
   * process ends.
   */
  #known(error: Error): Error {
    const known = withKnownName(error);
    if (failedSync(known)) {
      this.#broken = known;
      queueMicrotask(() => {
        throw new Error(
          "The disk failed to keep written data: the service exits so that it reads the stored data again.",
          {
            cause: known,
          },
        );
      });
    }
    return known;
  }

  async #prepare(sql: string) {
    const statement = await new Promise<sqlite3.Statement>((resolve, reject) => {
      const prepared: sqlite3.Statement = this.#database.prepare(sql, (error: Error | null) =>
        error ? reject(withKnownName(error)) : resolve(prepared),
      );
    });
    const entry = { statement, readsRows: readsRows.test(sql) };
    this.#statements.set(sql, entry);
    return entry;
  }

  #all(sql: string, parameters: readonly unknown[]): Promise<Record<string, unknown>[]> {
    return new Promise((resolve, reject) =>
      this.#database.all<Record<string, unknown>>(sql, parameters, (error, rows) =>
        error ? reject(withKnownName(error)) : resolve(rows),
      ),
    );
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    for (const { statement } of this.#statements.values()) statement.finalize();
    await new Promise<void>((resolve, reject) => this.#database.close((error) => (error ? reject(error) : resolve())));
  }
}

/** An error of the npm `sqlite3` driver. With extended result codes the last byte of `errno` is the plain code. */
interface DriverError extends Error {
  readonly errno?: number;
  code?: string;
}

/** The plain codes that have extended codes. The driver has names for plain codes and calls extended codes UNKNOWN. */
const names: Readonly<Record<number, string>> = {
  1: "SQLITE_ERROR",
  3: "SQLITE_PERM",
  4: "SQLITE_ABORT",
  5: "SQLITE_BUSY",
  6: "SQLITE_LOCKED",
  7: "SQLITE_NOMEM",
  8: "SQLITE_READONLY",
  10: "SQLITE_IOERR",
  11: "SQLITE_CORRUPT",
  13: "SQLITE_FULL",
  14: "SQLITE_CANTOPEN",
  19: "SQLITE_CONSTRAINT",
  23: "SQLITE_AUTH",
};

/** SQLITE_IOERR_FSYNC and SQLITE_IOERR_DIR_FSYNC. */
const syncCodes = new Set([1034, 1290]);

/** Names an error with an extended code after its plain code, which messages and programs use. */
export function withKnownName(error: Error): Error {
  const driverError: DriverError = error;
  const name = names[(driverError.errno ?? 0) & 0xff];
  if (driverError.code === "UNKNOWN" && name) {
    driverError.code = name;
    driverError.message = driverError.message.replace(/^UNKNOWN: /, `${name}: `);
  }
  return driverError;
}

/**
 * Whether a sync failed. The system then forgets that the pages were not written: the next sync reports success, and a
 * later read may return the old content. So this process can no longer trust its stored data.
 */
export function failedSync(error: Error): boolean {
  return syncCodes.has((error as DriverError).errno ?? 0);
}

/** Whether another process kept the database's lock for longer than a statement waits for it. */
export const isBusy = (error: unknown): boolean =>
  error instanceof Error && (error as DriverError).code === "SQLITE_BUSY";
