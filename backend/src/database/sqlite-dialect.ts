import { closeSync, openSync, readSync } from "node:fs";
import {
  CompiledQuery,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type DatabaseConnection,
  type DatabaseIntrospector,
  type Dialect,
  type DialectAdapter,
  type Driver,
  type Kysely,
  type QueryCompiler,
  type QueryResult,
} from "kysely";
import sqlite3 from "sqlite3";
import { failedSync, withKnownName } from "./sqlite-error.ts";

/** How the connections of a dialect are opened. */
export interface SqliteOptions {
  readonly file: string;
  /** `write`: one connection that takes turns. `read`: several read-only connections beside it. */
  readonly access: "write" | "read";
  /** Connections; more than one only for `read`. */
  readonly connections: number;
}

/**
 * Kysely dialect over the npm `sqlite3` driver, whose statements run on the thread pool, so that the event loop stays
 * free while SQLite works and syncs. `node:sqlite` behind the same five calls is the way out should it fall behind.
 */
export class SqliteDialect implements Dialect {
  readonly #options: SqliteOptions;

  constructor(options: SqliteOptions) {
    this.#options = options;
  }

  createDriver(): Driver {
    return new SqlitePool(this.#options);
  }

  createQueryCompiler(): QueryCompiler {
    return new SqliteQueryCompiler();
  }

  createAdapter(): DialectAdapter {
    return new PoolAdapter();
  }

  createIntrospector(database: Kysely<unknown>): DatabaseIntrospector {
    return new SqliteIntrospector(database);
  }
}

/** Tells Kysely that the pool below bounds its connections itself: its own lock would let one reader read at a time. */
class PoolAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

/** Hands connections out first come, first served. */
class SqlitePool implements Driver {
  readonly #options: SqliteOptions;
  readonly #all: SqliteConnection[] = [];
  readonly #idle: SqliteConnection[] = [];
  readonly #waiting: ((connection: SqliteConnection) => void)[] = [];

  constructor(options: SqliteOptions) {
    this.#options = options;
  }

  async init(): Promise<void> {
    for (let n = 0; n < this.#options.connections; n++) {
      const connection = await SqliteConnection.open(this.#options);
      this.#all.push(connection);
      this.#idle.push(connection);
    }
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    const idle = this.#idle.pop();
    return new Lease(idle ?? (await new Promise<SqliteConnection>((resolve) => this.#waiting.push(resolve))));
  }

  releaseConnection(lease: DatabaseConnection): Promise<void> {
    const connection = (lease as Lease).end(); // Kysely hands back what acquireConnection gave
    if (!connection) return Promise.resolve(); // it went back before; whoever waits goes on waiting
    // Whoever wrote last has its answer while the log is copied; only the next one waits for that.
    if (connection.needsCheckpoint()) void connection.checkpoint().finally(() => this.#lend(connection));
    else this.#lend(connection);
    return Promise.resolve();
  }

  #lend(connection: SqliteConnection): void {
    const next = this.#waiting.shift();
    if (next) next(connection);
    else this.#idle.push(connection);
  }

  async beginTransaction(lease: DatabaseConnection): Promise<void> {
    // IMMEDIATE: a transaction that starts as a reader and writes later can fail half-way with SQLITE_BUSY.
    const begin = CompiledQuery.raw(this.#options.access === "write" ? "begin immediate" : "begin");
    await lease.executeQuery(begin).catch(async (error: unknown) => {
      // Kysely 0.29 forgets the connection when a transaction of the ORM cannot begin: the one writer would be lost.
      await this.releaseConnection(lease);
      throw error;
    });
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw("commit"));
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    // After a full disk SQLite has rolled back by itself and a second rollback would fail.
    await connection.executeQuery(CompiledQuery.raw("rollback")).catch((error: unknown) => {
      if (!String(error).includes("no transaction is active")) throw error;
    });
  }

  async savepoint(connection: DatabaseConnection, name: string): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw(`savepoint "${name}"`));
  }

  async rollbackToSavepoint(connection: DatabaseConnection, name: string): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw(`rollback to "${name}"`));
  }

  async releaseSavepoint(connection: DatabaseConnection, name: string): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw(`release "${name}"`));
  }

  async destroy(): Promise<void> {
    await Promise.all(this.#all.map((connection) => connection.close()));
  }
}

/** A connection while it is lent. Giving it back twice is as good as once, so that it is never lent to two. */
class Lease implements DatabaseConnection {
  #connection: SqliteConnection | undefined;

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
  }

  /** The connection, which goes back; undefined when it went back before. */
  end(): SqliteConnection | undefined {
    const connection = this.#connection;
    this.#connection = undefined;
    return connection;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (!this.#connection) throw new Error("The connection was given back already.");
    return this.#connection.executeQuery(query);
  }

  // eslint-disable-next-line require-yield -- Kysely asks for the method; nothing in the product streams
  async *streamQuery(): AsyncIterableIterator<never> {
    throw new Error("The SQLite dialect does not stream; page with a keyset instead.");
  }
}

/** Statements with these first words, or a RETURNING clause, give rows. */
const readsRows = /^\s*(select|with|pragma|explain|values)\b|\breturning\b/i;

/** More statements than the product has, so that in practice each is compiled once a connection. */
const statementCacheSize = 300;

/** SQLITE_OPEN_EXRESCODE of sqlite3.h, which the driver passes on: errors tell a failed sync from a failed write. */
const extendedResultCodes = 0x02000000;

/**
 * Frames (of 4 KiB) that the write-ahead log holds when it is copied into the file. With SQLite's own 1,000 the pages that
 * every batch writes were copied twice as often.
 */
const framesAtCheckpoint = 2_000;

class SqliteConnection {
  /** The log's index, of the connection that writes. */
  #logIndex: number | undefined;
  /** Up to here the last checkpoint was to copy; as long as somebody reads, as a backup does, it may not. */
  #framesTried = 0;
  readonly #database: sqlite3.Database;
  readonly #statements = new Map<string, { statement: sqlite3.Statement; readsRows: boolean }>();
  /** Why it does nothing more. */
  #broken: Error | undefined;

  private constructor(database: sqlite3.Database) {
    this.#database = database;
  }

  static async open({ file, access }: SqliteOptions): Promise<SqliteConnection> {
    const mode = access === "write" ? sqlite3.OPEN_READWRITE | sqlite3.OPEN_CREATE : sqlite3.OPEN_READONLY;
    const database = await new Promise<sqlite3.Database>((resolve, reject) => {
      const opened = new sqlite3.Database(file, mode | extendedResultCodes, (error) =>
        error ? reject(error) : resolve(opened),
      );
    });
    // Another process may hold the lock. Two batches wait one after the other, and SDKs wait for some seconds only.
    database.configure("busyTimeout", 2_000);
    const connection = new SqliteConnection(database);
    await connection.#configure(access);
    if (access === "write") {
      await connection.#settleLog();
      connection.#logIndex = openSync(`${file}-shm`, "r");
    }
    return connection;
  }

  /** Sets the pragmas every guarantee rests on and reads them back: SQLite ignores a pragma it cannot obey. */
  async #configure(access: SqliteOptions["access"]): Promise<void> {
    const wanted: Record<string, string | number> = {
      // SQLite's own checkpoints tell nobody that a sync failed, and stand between a commit and its answer.
      ...(access === "write" && { journal_mode: "wal", journal_size_limit: 67_108_864, wal_autocheckpoint: 0 }),
      synchronous: 2, // FULL: WAL with NORMAL keeps commits through a crash of the process, not of the machine
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

  /** Whether the log is long enough to be copied, and was not tried yet. Reads its index (walformat.html) in 4 us. */
  needsCheckpoint(): boolean {
    if (this.#logIndex === undefined) return false;
    const header = new Uint32Array(25);
    readSync(this.#logIndex, header, 0, header.byteLength, 0);
    const [frames = 0, copied = 0] = [header[4], header[24]];
    if (frames < this.#framesTried) this.#framesTried = 0; // the log began anew
    if (frames - Math.max(copied, this.#framesTried) < framesAtCheckpoint) return false;
    this.#framesTried = frames;
    return true;
  }

  /** Copies the log into the file; a failed sync ends the process, see `#known`. */
  async checkpoint(): Promise<void> {
    // Passive: as far as no reader needs the log. On a full disk all else meets the error too.
    await this.#all("pragma wal_checkpoint(passive)", []).catch((error: Error) => this.#known(error));
  }

  /**
   * Copies the log into the file and syncs it, before anything is written behind it. A log may end with what a sync
   * failed to bring to disk: it can be read, and counts as stored, but a power failure would take it and with it all that
   * follows in the log.
   */
  async #settleLog(): Promise<void> {
    await this.#all("pragma wal_checkpoint(passive)", []).catch((error: Error) => {
      if (failedSync(error)) throw error; // for the rest, as on a full disk, reading is still possible
    });
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    if (this.#broken) throw this.#broken;
    const cached = this.#statements.get(sql) ?? (await this.#prepare(sql));
    return new Promise((resolve, reject) => {
      // A statement that met SQLITE_BUSY stays begun until it is reset, and as long as it is, SQLite commits no other.
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

  /** The error as all the rest knows it. After a failed sync the connection does nothing more and the process ends. */
  #known(error: Error): Error {
    const known = withKnownName(error);
    if (failedSync(known)) {
      this.#broken = known;
      queueMicrotask(() => {
        throw new Error("The disk failed to keep what was written: the service ends, to read anew what is there.", {
          cause: known,
        });
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
    if (this.#statements.size >= statementCacheSize) {
      const [oldest] = this.#statements.keys();
      if (oldest !== undefined) {
        this.#statements.get(oldest)?.statement.finalize();
        this.#statements.delete(oldest);
      }
    }
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
    if (this.#logIndex !== undefined) closeSync(this.#logIndex);
    this.#logIndex = undefined;
    for (const { statement } of this.#statements.values()) statement.finalize();
    await new Promise<void>((resolve, reject) => this.#database.close((error) => (error ? reject(error) : resolve())));
  }
}
