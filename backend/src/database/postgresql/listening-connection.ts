import { createRequire } from "node:module";
import { NotListening } from "./not-listening.ts";

/** By this name connections that listen are known in pg_stat_activity, one a process. */
export const listenerName = "faultline announcements";

const channel = "faultline";

/** The little of the package `pg` that is used here; it comes without types. */
interface PgClient {
  readonly processID: number;
  readonly connection: { readonly stream: { destroy(): void } };
  connect(): Promise<unknown>;
  query(sql: string, values?: readonly unknown[]): Promise<unknown>;
  end(): Promise<void>;
  on(event: "notification", listener: (message: { processId: number; payload?: string }) => void): void;
  on(event: "error" | "end", listener: () => void): void;
}

const { Client } = createRequire(import.meta.url)("pg") as { Client: new (options: object) => PgClient };

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

  private constructor(client: PgClient) {
    this.#client = client;
  }

  /** Connects and listens; `began` gets the connection at once, so that one that hangs can be cut. */
  static async open(
    url: string,
    { onMessage, onEnd }: Listener,
    began: (connection: ListeningConnection) => void,
  ): Promise<void> {
    const client = new Client({
      connectionString: url,
      application_name: listenerName,
      connectionTimeoutMillis: 5_000,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
    });
    const connection = new ListeningConnection(client);
    let hearsItself = false;
    client.on("error", () => undefined); // whoever asks something is told
    client.on("end", onEnd);
    client.on("notification", ({ processId, payload = "" }) => {
      if (processId === client.processID) hearsItself = true;
      else onMessage(payload);
    });
    began(connection);
    await client.connect();
    // Nothing is stored, so that nothing need be synced; and a machine that vanished is not counted for long.
    await connection.#ask(`select set_config('synchronous_commit', 'off', false), ${keepAliveSettings}`);
    await connection.#ask(`listen ${channel}`);
    await connection.notify(["hello"]);
    if (!hearsItself) throw new NotListening(); // PostgreSQL tells the sender itself before it answers
  }

  /** Tells the other processes. By itself: transactions that notify wait for each other's commits. */
  async notify(messages: readonly string[]): Promise<void> {
    await this.#ask(`select pg_notify('${channel}', message) from unnest($1::text[]) as told (message)`, [messages]);
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
    return this.#client.processID;
  }

  cut(): void {
    this.#client.connection.stream.destroy();
  }

  close(): Promise<void> {
    return this.#client.end();
  }

  async #ask(sql: string, values: readonly unknown[] = []): Promise<void> {
    this.#askedAt = performance.now();
    await this.#client.query(sql, values);
    this.#askedAt = undefined;
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
