import { randomUUID } from "node:crypto";
import { createRequire } from "node:module";
import { setTimeout as delay } from "node:timers/promises";
import { NotListening } from "./not-listening.ts";

/** By this name connections that listen are known in pg_stat_activity, one a process. */
export const listenerName = "faultline announcements";

const channel = "faultline";

/** The little of the package `pg` that is used here; it comes without types. */
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

/** What another connection notifies arrives within this time, unless it never does. */
const hearingMs = 2_000;

/** What is done with a connection. */
export interface Listener {
  /** Another process told something. */
  onMessage(message: string): void;
  onEnd(): void;
}

/** A connection of its own that hears what other processes notify, and notifies them. */
export class ListeningConnection {
  readonly #client: PgClient;
  #askedAt: number | undefined;
  #pid = 0;

  private constructor(client: PgClient) {
    this.#client = client;
  }

  /** Connects and listens; `began` gets the connection at once, so that one that hangs can be cut. */
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
    client.on("error", () => undefined); // whoever asks something is told
    client.on("end", onEnd);
    client.on("notification", ({ processId, payload = "" }) => {
      if (processId !== connection.#pid) onMessage(payload);
    });
    began(connection);
    await client.connect();
    // Nothing is stored, so that nothing need be synced; and a machine that vanished is not counted for long. The number is
    // asked for as the one that a pooler tells clients is its own.
    const [row] = await connection.#ask(
      `select pg_backend_pid() as pid, set_config('synchronous_commit', 'off', false), ${keepAliveSettings}`,
    );
    connection.#pid = Number(row?.["pid"]);
    await connection.#ask(`listen ${channel}`);
    return connection;
  }

  /** Tells the other processes. By itself: transactions that notify wait for each other's commits. */
  async notify(messages: readonly string[]): Promise<void> {
    await this.#ask(`select pg_notify('${channel}', message) from unnest($1::text[]) as told (message)`, [messages]);
  }

  /**
   * Fails with NotListening where the idle connection hears nothing of what another notifies: a pooler that lends
   * connections by transaction has given to somebody else by then what listens.
   */
  async checkHearing(url: string): Promise<void> {
    const word = randomUUID();
    const { promise: heard, resolve } = Promise.withResolvers<void>();
    this.#client.on("notification", ({ payload }) => payload === word && resolve());
    const other = new Client({ connectionString: url, connectionTimeoutMillis });
    other.on("error", () => undefined); // whoever asks something is told
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

  /** Fails when the connection is gone. */
  async probe(): Promise<void> {
    await this.#ask("select 1");
  }

  /** For how long the server has owed an answer. */
  get silentMs(): number {
    return this.#askedAt === undefined ? 0 : performance.now() - this.#askedAt;
  }

  /** By which pg_stat_activity knows the connection. */
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
 * Calls that let the server notice within half a minute that the machine at the other end is gone: by default it takes
 * two hours, for which locks are held.
 */
export const keepAliveSettings = Object.entries({
  tcp_keepalives_idle: 10,
  tcp_keepalives_interval: 5,
  tcp_keepalives_count: 3,
})
  .map(([name, value]) => `set_config('${name}', '${value}', false)`)
  .join(", ");
