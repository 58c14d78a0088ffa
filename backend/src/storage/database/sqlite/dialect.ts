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
  type AbortableOperationOptions,
  type QueryResult,
} from "kysely";
import { lockWaitMs, SqliteConnection, type Access, isBusy, failedSync } from "./connection.ts";

/** How a dialect opens its connections. */
export interface SqliteOptions {
  readonly file: string;
  /** `write`: one connection, used by one transaction at a time. `read`: several read-only connections. */
  readonly access: Access;
  /** The number of connections; more than one only for `read`. */
  readonly connections: number;
}

/**
 * Kysely dialect over the npm `sqlite3` driver. It runs statements on the thread pool, so that the event loop stays
 * free while SQLite works and syncs. `node:sqlite` could replace it behind the same five calls if it falls behind.
 */
export class SqliteDialect implements Dialect {
  readonly #pool: SqlitePool;
  readonly #isAhead: boolean;

  constructor(options: SqliteOptions | SqlitePool) {
    this.#isAhead = options instanceof SqlitePool;
    this.#pool = options instanceof SqlitePool ? options : new SqlitePool(options);
  }

  /** The same connections for callers with priority. */
  get ahead(): SqliteDialect {
    return new SqliteDialect(this.#pool);
  }

  createDriver(): Driver {
    return this.#isAhead ? new AheadOfOthers(this.#pool) : this.#pool;
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

/**
 * Tells Kysely that the pool below bounds its connections itself: Kysely's own lock would admit only one reader at a
 * time.
 */
class PoolAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

/** The queues of callers that wait for a connection. */
type Line = "ahead" | "others";

/** Statements that need no lock. */
const readsOnly = /^\s*(select|pragma|explain)\b/i;

/**
 * Hands out connections, first come, first served. Callers with priority take turns with the others, so that they wait
 * for one other transaction at most and the others still get their turns.
 */
class SqlitePool implements Driver {
  readonly #options: SqliteOptions;
  readonly #all: SqliteConnection[] = [];
  readonly #idle: SqliteConnection[] = [];
  readonly #waiting: { readonly [line in Line]: ((connection: SqliteConnection) => void)[] } = {
    ahead: [],
    others: [],
  };
  /** The line of the last caller that waited. */
  #served: Line = "others";
  /** The last time that a statement waited in vain for the lock of another process. */
  #refusal: { readonly at: number; readonly error: unknown } | undefined;
  /** Only the writing pool has checkpoints. */
  #checkpoints: Checkpoints | undefined;

  constructor(options: SqliteOptions) {
    this.#options = options;
  }

  async init(): Promise<void> {
    const { file, access, connections } = this.#options;
    for (let n = 0; n < connections; n++) {
      const connection = await SqliteConnection.open(file, access);
      this.#all.push(connection);
      this.#idle.push(connection);
    }
    if (access === "write") {
      this.#checkpoints = await Checkpoints.open(file, async (work) => {
        const writer = await this.#take();
        await work().finally(() => this.#lend(writer));
      });
    }
  }

  acquireConnection(): Promise<DatabaseConnection> {
    return this.lease("others");
  }

  async lease(line: Line): Promise<DatabaseConnection> {
    const askedAt = performance.now();
    const connection = await this.#take(line);
    // Callers that waited as long as the refused caller before them are refused with it: if each waited for the lock in
    // its turn, an event behind three tasks would be refused after eight seconds instead of four.
    const { at = Number.NEGATIVE_INFINITY, error } = this.#refusal ?? {};
    return new Lease(connection, {
      refusal: askedAt <= at - lockWaitMs ? error : undefined,
      onBusy: (busy) => (this.#refusal = { at: performance.now(), error: busy }),
    });
  }

  async #take(line: Line = "others"): Promise<SqliteConnection> {
    return this.#idle.pop() ?? new Promise((resolve) => this.#waiting[line].push(resolve));
  }

  releaseConnection(lease: DatabaseConnection): Promise<void> {
    const connection = (lease as Lease).end(); // Kysely returns the object of acquireConnection
    if (!connection) return Promise.resolve(); // it was returned before; waiting callers continue to wait
    this.#lend(connection);
    this.#checkpoints?.written();
    return Promise.resolve();
  }

  #lend(connection: SqliteConnection): void {
    const { ahead, others } = this.#waiting;
    this.#served = ahead.length > 0 && (this.#served === "others" || others.length === 0) ? "ahead" : "others";
    const next = this.#waiting[this.#served].shift();
    if (next) next(connection);
    else this.#idle.push(connection);
  }

  async beginTransaction(lease: DatabaseConnection): Promise<void> {
    // IMMEDIATE, because a transaction that starts as a reader and writes later can fail half-way with SQLITE_BUSY.
    const begin = CompiledQuery.raw(this.#options.access === "write" ? "begin immediate" : "begin");
    await lease.executeQuery(begin).catch(async (error: unknown) => {
      // Kysely 0.29 forgets the connection if a transaction of the ORM cannot begin: the only writer would be lost.
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
    await this.#checkpoints?.close();
    await Promise.all(this.#all.map((connection) => connection.close()));
  }
}

/** Takes connections of a pool before its other callers, and does not open or close them. */
class AheadOfOthers implements Driver {
  readonly #pool: SqlitePool;

  constructor(pool: SqlitePool) {
    this.#pool = pool;
  }

  init = async (): Promise<void> => {};
  destroy = async (): Promise<void> => {};
  acquireConnection = (): Promise<DatabaseConnection> => this.#pool.lease("ahead");
  releaseConnection = (lease: DatabaseConnection): Promise<void> => this.#pool.releaseConnection(lease);
  beginTransaction = (lease: DatabaseConnection): Promise<void> => this.#pool.beginTransaction(lease);
  commitTransaction = (lease: DatabaseConnection): Promise<void> => this.#pool.commitTransaction(lease);
  rollbackTransaction = (lease: DatabaseConnection): Promise<void> => this.#pool.rollbackTransaction(lease);
}

/** A lent connection. Returning it twice counts as once, so that it is never lent to two callers. */
class Lease implements DatabaseConnection {
  #connection: SqliteConnection | undefined;
  readonly #refusal: unknown;
  readonly #onBusy: (error: unknown) => void;

  /**
   * `refusal`: the failure of statements that write; undefined to execute them. `onBusy`: called when another process
   * kept the lock longer than a statement waits.
   */
  constructor(connection: SqliteConnection, options: { refusal: unknown; onBusy: (error: unknown) => void }) {
    this.#connection = connection;
    this.#refusal = options.refusal;
    this.#onBusy = options.onBusy;
  }

  /** Returns the connection; undefined if it was returned before. */
  end(): SqliteConnection | undefined {
    const connection = this.#connection;
    this.#connection = undefined;
    return connection;
  }

  async executeQuery<R>(query: CompiledQuery, { signal }: AbortableOperationOptions = {}): Promise<QueryResult<R>> {
    if (!this.#connection) throw new Error("The connection was given back already.");
    if (this.#refusal !== undefined && !readsOnly.test(query.sql)) throw this.#refusal;
    try {
      return await this.#connection.executeQuery<R>(query);
    } catch (error) {
      if (isBusy(error)) this.#onBusy(error);
      if (signal?.aborted) return { rows: [] }; // nobody waits for it, and Kysely would print the error
      throw error;
    }
  }

  /** Kysely returns the connection only after this and the query have ended. */
  async cancelQuery(): Promise<void> {
    await this.#connection?.interrupt();
  }

  // eslint-disable-next-line require-yield -- Kysely asks for the method; nothing in the product streams
  async *streamQuery(): AsyncIterableIterator<never> {
    throw new Error("The SQLite dialect does not stream; page with a keyset instead.");
  }
}

/**
 * Frames (of 4 KiB) in the write-ahead log at which it is copied into the file. With SQLite's default of 1,000, pages
 * that every batch writes were copied twice as often.
 */
const framesAtCheckpoint = 2_000;

/**
 * Transactions between two checks of the log: a check is a trip to the thread pool, 90 us; a batch writes 20 to 200
 * frames.
 */
const transactionsBetweenLooks = 4;

/** Runs `work` while nobody writes. */
type WhileNobodyWrites = (work: () => Promise<void>) => Promise<void>;

/**
 * Copies the write-ahead log into the file when it is long, while the writer waits: 20 to 40 ms. Copying most of it
 * during writes first made nothing quicker, and with 10,000,000 events stored cost a quarter of the rate, because pages
 * were copied more often and both synced simultaneously. SQLite's own checkpoints do not report a failed sync.
 *
 * The length of the log is read on a separate connection, which costs the writer no trip. Never open its index (`-shm`)
 * for that: closing the file would drop all locks that SQLite holds on it in this process (POSIX fcntl).
 */
class Checkpoints {
  readonly #connection: SqliteConnection;
  readonly #whileNobodyWrites: WhileNobodyWrites;
  #transactions = 0;
  #running: Promise<void> | undefined;
  /** The target frame of the last attempt. It may not be reached during a long read, such as by a backup. */
  #tried = 0;
  #isClosed = false;

  private constructor(connection: SqliteConnection, whileNobodyWrites: WhileNobodyWrites) {
    this.#connection = connection;
    this.#whileNobodyWrites = whileNobodyWrites;
  }

  /**
   * Copies the log before anything is written after it. A log may end with data that a failed sync did not bring to
   * disk: it can be read, and counts as stored, but a power failure would lose it and everything after it in the log.
   */
  static async open(file: string, whileNobodyWrites: WhileNobodyWrites): Promise<Checkpoints> {
    const checkpoints = new Checkpoints(await SqliteConnection.open(file, "write"), whileNobodyWrites);
    await checkpoints.#copy().catch((error: Error) => {
      if (failedSync(error)) throw error; // after any other failure, such as a full disk, reading still works
    });
    return checkpoints;
  }

  /** Call it after each transaction of the writer. */
  written(): void {
    this.#transactions += 1;
    if (this.#transactions < transactionsBetweenLooks || this.#running || this.#isClosed) return;
    this.#transactions = 0;
    // A failed sync ends the process by itself, and on a full disk the writer meets the error too.
    this.#running = this.#whenLong()
      .catch(() => undefined)
      .finally(() => (this.#running = undefined));
  }

  async #whenLong(): Promise<void> {
    if ((await this.#look()) < framesAtCheckpoint) return;
    await this.#whileNobodyWrites(async () => {
      await this.#copy();
      this.#tried = (await this.#state()).frames;
    });
  }

  /** Frames to be copied that no attempt has included yet. */
  async #look(): Promise<number> {
    const { frames, copied } = await this.#state();
    if (frames < this.#tried) this.#tried = 0; // the log started again
    return frames - Math.max(copied, this.#tried);
  }

  #copy(): Promise<unknown> {
    return this.#connection.executeQuery(CompiledQuery.raw("pragma wal_checkpoint(passive)")); // as far as no reader needs it
  }

  async #state(): Promise<{ frames: number; copied: number }> {
    const { rows } = await this.#connection.executeQuery<{ log: number; checkpointed: number }>(
      CompiledQuery.raw("pragma wal_checkpoint(noop)"),
    );
    return { frames: rows[0]?.log ?? 0, copied: rows[0]?.checkpointed ?? 0 };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#running;
    await this.#connection.close();
  }
}
