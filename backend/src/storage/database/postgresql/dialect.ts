import { createRequire } from "node:module";
import {
  CompiledQuery,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type AbortableOperationOptions,
  type ControlConnectionProvider,
  type DatabaseConnection,
  type DatabaseIntrospector,
  type Dialect,
  type DialectAdapter,
  type Driver,
  type Kysely,
  type PostgresPool,
  type PostgresPoolClient,
  type QueryCompiler,
  type QueryResult,
} from "kysely";
import type { PoolUse } from "../open-database.ts";
import { knownError } from "./failure.ts";

/** Connections of a process. A batch takes one connection while it is stored, and a page takes one or two. */
const connections = 10;

/** PostgreSQL ends a statement that takes longer. We end it a little later if PostgreSQL does not answer. */
const statementTimeoutMs = 30_000;
const silenceMs = 5_000;

type Parse = (text: string) => unknown;

/** The part of the package `pg` that is used here. The package has no types. */
interface Pg {
  readonly types: { getTypeParser(oid: number, format?: string): Parse };
  readonly Pool: new (options: object) => Pool & {
    on(event: "connect", listener: (client: { on(event: "error", listener: () => void): void }) => void): void;
    on(event: "error", listener: () => void): void;
  };
}

interface Pool extends PostgresPool {
  readonly totalCount: number;
  readonly idleCount: number;
  readonly waitingCount: number;
}

const { Pool, types } = createRequire(import.meta.url)("pg") as Pg;

/** Object ids of pg_type.dat. Our values of these types (times, counts and sums) are below 2^53. */
const numbers = new Map<number, Parse>([
  [20, Number], // int8
  [1700, Number], // numeric
]);

/**
 * Kysely's dialect of PostgreSQL over the package `pg`. It manages its connections itself, because Kysely 0.29 loses
 * connections of the pool if a transaction of the ORM cannot begin or roll back, such as when the server restarts.
 */
export class PostgresqlDialect implements Dialect {
  readonly #url: string;
  readonly #statementTimeoutMs: number;
  #driver: PostgresqlDriver | undefined;

  /** `statementTimeoutMs`: default 30,000. */
  constructor(url: string, limits: { statementTimeoutMs?: number } = {}) {
    this.#url = url;
    this.#statementTimeoutMs = limits.statementTimeoutMs ?? statementTimeoutMs;
  }

  createDriver(): Driver {
    this.#driver = new PostgresqlDriver(this.#url, this.#statementTimeoutMs);
    return this.#driver;
  }

  /** The use of the pool of the latest driver. */
  connections(): PoolUse {
    return this.#driver?.connections() ?? { used: 0, waiting: 0 };
  }

  createQueryCompiler(): QueryCompiler {
    return new PostgresQueryCompiler();
  }

  createAdapter(): DialectAdapter {
    return new PostgresAdapter();
  }

  createIntrospector(database: Kysely<unknown>): DatabaseIntrospector {
    return new PostgresIntrospector(database);
  }
}

class PostgresqlDriver implements Driver {
  readonly #url: string;
  readonly #statementTimeoutMs: number;
  #pool: Pool | undefined;

  constructor(url: string, timeoutMs: number) {
    this.#url = url;
    this.#statementTimeoutMs = timeoutMs;
  }

  init(): Promise<void> {
    const pool = new Pool({
      connectionString: this.#url,
      application_name: "faultline",
      max: connections,
      connectionTimeoutMillis: 5_000, // for a new connection, and for a free connection of the pool
      idleTimeoutMillis: 60_000,
      statement_timeout: this.#statementTimeoutMs,
      query_timeout: this.#statementTimeoutMs + silenceMs,
      lock_timeout: 5_000,
      idle_in_transaction_session_timeout: 60_000,
      options: "-c jit=off", // compiling a statement pays off after seconds, and ours take milliseconds
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      types: {
        getTypeParser: (oid: number, format?: string) => numbers.get(oid) ?? types.getTypeParser(oid, format),
      },
    });
    // A query on an ended connection reports the end; the pool makes a new connection.
    pool.on("connect", (client) => client.on("error", () => undefined));
    pool.on("error", () => undefined);
    this.#pool = pool;
    return Promise.resolve();
  }

  connections(): PoolUse {
    const { totalCount, idleCount, waitingCount } = this.#pool ?? { totalCount: 0, idleCount: 0, waitingCount: 0 };
    return { used: totalCount - idleCount, waiting: waitingCount };
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    if (!this.#pool) throw new Error("The pool of connections is closed.");
    const client = await this.#pool.connect().catch((error: unknown) => {
      throw knownError(error);
    });
    return new Lease(client);
  }

  releaseConnection(lease: DatabaseConnection): Promise<void> {
    (lease as Lease).end(); // Kysely returns the object of acquireConnection
    return Promise.resolve();
  }

  async beginTransaction(lease: DatabaseConnection, { isolationLevel }: { isolationLevel?: string }): Promise<void> {
    const level = isolationLevel ? ` isolation level ${isolationLevel}` : "";
    await lease.executeQuery(CompiledQuery.raw(`begin${level}`)).catch((error: unknown) => {
      (lease as Lease).end(); // Kysely forgets it in transactions of the ORM
      throw error;
    });
  }

  async commitTransaction(lease: DatabaseConnection): Promise<void> {
    await lease.executeQuery(CompiledQuery.raw("commit"));
  }

  async rollbackTransaction(lease: DatabaseConnection): Promise<void> {
    // It fails if the connection has ended, and the transaction with it.
    await lease.executeQuery(CompiledQuery.raw("rollback")).catch(() => (lease as Lease).break());
  }

  async savepoint(lease: DatabaseConnection, name: string): Promise<void> {
    await lease.executeQuery(CompiledQuery.raw(`savepoint "${name}"`));
  }

  async rollbackToSavepoint(lease: DatabaseConnection, name: string): Promise<void> {
    await lease.executeQuery(CompiledQuery.raw(`rollback to savepoint "${name}"`));
  }

  async releaseSavepoint(lease: DatabaseConnection, name: string): Promise<void> {
    await lease.executeQuery(CompiledQuery.raw(`release savepoint "${name}"`));
  }

  async destroy(): Promise<void> {
    const pool = this.#pool;
    this.#pool = undefined;
    await pool?.end();
  }
}

const changes = new Set(["INSERT", "UPDATE", "DELETE", "MERGE"]);

/** Direct connections, without a pooler, by the server's process. */
const direct = new WeakMap<PostgresPoolClient, number>();

const givenBack = () => new Error("The connection was given back already.");

/** A lent connection. Returning it twice counts as once, so that it is never lent to two callers. */
class Lease implements DatabaseConnection {
  #client: PostgresPoolClient | undefined;
  #isBroken = false;
  /** The server's process; known before a query that may be canceled begins. */
  #processId: number | undefined;

  constructor(client: PostgresPoolClient) {
    this.#client = client;
  }

  /** Returns the connection, or closes it if it is broken. */
  end(): void {
    const client = this.#client as { release(isBroken: boolean): void } | undefined;
    this.#client = undefined;
    client?.release(this.#isBroken);
  }

  break(): void {
    this.#isBroken = true;
  }

  /**
   * Behind a pooler, the driver's id is not the server's, and may differ each time. Without a pooler it stays the same,
   * and is asked for once: asking before each query took 0.8 ms of a search.
   */
  async collectSessionInfo(): Promise<void> {
    if (!this.#client) throw givenBack();
    const { processID } = this.#client as { processID?: number | null };
    this.#processId = direct.get(this.#client);
    if (this.#processId !== undefined) return;
    const { rows } = await this.executeQuery<{ pid: number }>(CompiledQuery.raw("select pg_backend_pid() as pid"));
    this.#processId = rows[0]?.pid;
    if (this.#processId !== undefined && this.#processId === processID) direct.set(this.#client, this.#processId);
  }

  /** Kysely returns the connection only after this and the query have ended. */
  async cancelQuery(control: ControlConnectionProvider): Promise<void> {
    const cancel = CompiledQuery.raw("select pg_cancel_backend($1)", [this.#processId]);
    // If no connection is free, the statement ends by its own limit.
    await control(async (other) => void (await other.executeQuery(cancel))).catch(() => undefined);
  }

  async executeQuery<R>(
    { sql, parameters }: CompiledQuery,
    { signal }: AbortableOperationOptions = {},
  ): Promise<QueryResult<R>> {
    if (!this.#client) throw givenBack();
    try {
      const { command, rowCount, rows } = await this.#client.query<R>(sql, parameters);
      return changes.has(command) ? { rows, numAffectedRows: BigInt(rowCount) } : { rows };
    } catch (error) {
      const known = knownError(error);
      if (known !== error) this.break(); // its answer may still arrive
      if (signal?.aborted) return { rows: [] }; // nobody waits for it, and Kysely would print the error
      throw known;
    }
  }

  // eslint-disable-next-line require-yield -- Kysely asks for the method; nothing in the product streams
  async *streamQuery(): AsyncIterableIterator<never> {
    throw new Error("The PostgreSQL dialect does not stream; page with a keyset instead.");
  }
}
