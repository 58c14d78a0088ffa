import { randomUUID } from "node:crypto";
import { createRequire } from "node:module";
import { setTimeout as delay } from "node:timers/promises";

/** The name of listening connections in pg_stat_activity, one per process. */
export const listenerName = "faultline announcements";

const channel = "faultline";

/** The part of the package `pg` that is used here. The package has no types. */
interface PgClient {
  readonly connection: { readonly stream: { destroy(): void } };
  connect(): Promise<unknown>;
  query(sql: string, values?: readonly unknown[]): Promise<{ readonly rows: readonly Record<string, unknown>[] }>;
  end(): Promise<void>;
  on(event: "notification", listener: (message: { processId: number; payload?: string }) => void): void;
  on(event: "error" | "end", listener: () => void): void;
}

const { Client } = createRequire(import.meta.url)("pg") as { Client: new (options: object) => PgClient };

const connectionTimeoutMillis = 5_000;

/** A notification arrives within this time, or never. */
const hearingMs = 2_000;

/** The owner of a connection. */
export interface Listener {
  /** Called with a message of another process. */
  onMessage(message: string): void;
  onEnd(): void;
}

/** A separate connection that sends notifications and receives them from other processes. */
export class ListeningConnection {
  readonly #client: PgClient;
  #askedAt: number | undefined;
  #pid = 0;

  private constructor(client: PgClient) {
    this.#client = client;
  }

  /** Connects and listens. `began` gets the connection immediately, so that a hanging connection can be cut. */
  static async open(
    url: string,
    { onMessage, onEnd }: Listener,
    began: (connection: ListeningConnection) => void,
  ): Promise<ListeningConnection> {
    const client = new Client({
      connectionString: url,
      application_name: listenerName,
      connectionTimeoutMillis,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
    });
    const connection = new ListeningConnection(client);
    client.on("error", () => undefined); // each query reports it
    client.on("end", onEnd);
    client.on("notification", ({ processId, payload = "" }) => {
      if (processId !== connection.#pid) onMessage(payload);
    });
    began(connection);
    await client.connect();
    // Nothing is stored, so nothing needs a sync; and a vanished machine is not counted for long. The process number is
    // queried, because a pooler sends clients its own.
    const [row] = await connection.#ask(
      `select pg_backend_pid() as pid, set_config('synchronous_commit', 'off', false), ${keepAliveSettings}`,
    );
    connection.#pid = Number(row?.["pid"]);
    await connection.#ask(`listen ${channel}`);
    return connection;
  }

  /**
   * Notifies the other processes, outside of other transactions: transactions that notify wait for each other's
   * commits.
   */
  async notify(messages: readonly string[]): Promise<void> {
    await this.#ask(`select pg_notify('${channel}', message) from unnest($1::text[]) as sent (message)`, [messages]);
  }

  /**
   * Fails with NotListening if the idle connection does not receive a notification of another connection: a pooler that
   * lends connections by transaction has lent it to somebody else by then.
   */
  async checkHearing(url: string): Promise<void> {
    const word = randomUUID();
    const { promise: heard, resolve } = Promise.withResolvers<void>();
    this.#client.on("notification", ({ payload }) => payload === word && resolve());
    const other = new Client({ connectionString: url, connectionTimeoutMillis });
    other.on("error", () => undefined); // each query reports it
    try {
      await other.connect();
      await other.query("select pg_notify($1, $2)", [channel, word]);
    } finally {
      await other.end();
    }
    const late = delay(hearingMs, undefined, { ref: false }).then(() => {
      throw new NotListening();
    });
    await Promise.race([heard, late]);
  }

  /** Fails if the connection has ended. */
  async probe(): Promise<void> {
    await this.#ask("select 1");
  }

  /** How many milliseconds the server has left a query unanswered. */
  get silentMs(): number {
    return this.#askedAt === undefined ? 0 : performance.now() - this.#askedAt;
  }

  /** The connection's process in pg_stat_activity. */
  get backendPid(): number {
    return this.#pid;
  }

  cut(): void {
    this.#client.connection.stream.destroy();
  }

  close(): Promise<void> {
    return this.#client.end();
  }

  async #ask(sql: string, values: readonly unknown[] = []): Promise<readonly Record<string, unknown>[]> {
    this.#askedAt = performance.now();
    const { rows } = await this.#client.query(sql, values);
    this.#askedAt = undefined;
    return rows;
  }
}

/**
 * Settings that let the server notice within half a minute that the client's machine has vanished. By default this
 * takes two hours, and locks are held meanwhile.
 */
export const keepAliveSettings = Object.entries({
  tcp_keepalives_idle: 10,
  tcp_keepalives_interval: 5,
  tcp_keepalives_count: 3,
})
  .map(([name, value]) => `set_config('${name}', '${value}', false)`)
  .join(", ");

/** The failure of a server, or of a pooler before it, to pass on notifications. */
export class NotListening extends Error {
  constructor() {
    super("notifications are not passed on");
  }
}
