import { setTimeout as delay } from "node:timers/promises";
import { mostAnnouncedBytes, type Announcements } from "@faultline/plugin";
import { backoff, jittered } from "@faultline/plugin/flow";
import { ListeningConnection } from "./listening-connection.ts";

/** The interval of probes, and how long the connection may leave a probe unanswered. */
const probeMs = 500;
const silentMs = 2_000;

/** Growing pauses between attempts to connect. */
const pauses = { firstMs: 100, longestMs: 3_000 };

/**
 * The most messages in a statement, and the most that wait for the next statement. Further messages are reported as
 * lost.
 */
const messagesAtOnce = 64;
const mostWaiting = 1_000;

/** The message that announcements were lost, so the other processes must read again. */
const lost = "lost";

/**
 * Announcements over LISTEN and NOTIFY, on a connection outside the pool. A connection that ends, or does not answer
 * for two seconds, is replaced.
 */
export class PostgresqlAnnouncements implements Announcements {
  readonly #url: string;
  readonly #handlers = new Map<string, ((text: string) => void)[]>();
  readonly #missedHandlers: (() => void)[] = [];
  readonly #closed = new AbortController();
  #connection: ListeningConnection | undefined;
  #isHeard = false;
  #answeredAt = performance.now();
  #waiting: string[] = [];
  #hasLost = false;
  #count = 0;
  #wake = (): void => undefined;
  readonly #timer: NodeJS.Timeout;
  #running: Promise<void> = Promise.resolve();

  private constructor(url: string) {
    this.#url = url;
    this.#timer = setInterval(() => setImmediate(() => this.#look()), probeMs).unref();
  }

  /** Connects; fails with NotListening if notifications do not arrive. */
  static async open(url: string): Promise<PostgresqlAnnouncements> {
    const announcements = new PostgresqlAnnouncements(url);
    try {
      const connection = await announcements.#connect();
      await connection.checkHearing(url);
    } catch (error) {
      clearInterval(announcements.#timer);
      announcements.#connection?.cut();
      throw error;
    }
    announcements.#running = announcements.#run();
    return announcements;
  }

  announce(subject: string, text: string): void {
    if (Buffer.byteLength(text) > mostAnnouncedBytes) throw new RangeError(`an announcement of ${subject} is too long`);
    if (!this.#isHeard || this.#waiting.length >= mostWaiting) {
      this.#hasLost = true;
      return;
    }
    this.#waiting.push(this.#message(subject, text));
    this.#wake();
  }

  subscribe(subject: string, handler: (text: string) => void): void {
    this.#handlers.set(subject, [...(this.#handlers.get(subject) ?? []), handler]);
  }

  onMissed(handler: () => void): void {
    this.#missedHandlers.push(handler);
  }

  /** The server's process of the current connection; 0 without a connection. */
  get backendPid(): number {
    return this.#isHeard ? (this.#connection?.backendPid ?? 0) : 0;
  }

  /** Whether the server has answered neither this connection nor attempts to reconnect for two seconds. */
  get isSilent(): boolean {
    return performance.now() - this.#answeredAt >= silentMs;
  }

  /** Sends the waiting messages and closes the connection; takes at most a second. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#closed.abort();
    this.#wake();
    const late = setTimeout(() => this.#connection?.cut(), 1_000);
    await this.#running;
    clearTimeout(late);
  }

  async #connect(): Promise<ListeningConnection> {
    const listener = { onMessage: (message: string) => this.#hear(message), onEnd: () => this.#wake() };
    const began = (begun: ListeningConnection) => (this.#connection = begun);
    try {
      const connection = await ListeningConnection.open(this.#url, listener, began);
      this.#isHeard = true;
      this.#answeredAt = performance.now();
      return connection;
    } catch (error) {
      this.#connection?.cut();
      this.#connection = undefined;
      throw error;
    }
  }

  async #run(): Promise<void> {
    for (let failures = 1; ; failures++) {
      if (this.#connection) {
        await this.#serve(this.#connection);
        failures = 1;
      }
      if (this.#closed.signal.aborted) return;
      // With jitter, because many processes lose their connections simultaneously.
      await delay(jittered(backoff(failures, pauses)), undefined, { signal: this.#closed.signal }).catch(
        () => undefined,
      ); // closed meanwhile
      if (this.#closed.signal.aborted) return;
      await this.#connect().then(
        () => this.#notifyMissed(),
        () => undefined, // the next attempt follows; callers that need the database report its absence
      );
    }
  }

  /** Sends waiting messages, or else probes the connection, until it ends or all is closed. */
  async #serve(connection: ListeningConnection): Promise<void> {
    try {
      for (;;) {
        const messages = this.#waiting.splice(0, messagesAtOnce);
        if (this.#hasLost) messages.push(this.#message(lost, ""));
        this.#hasLost = false;
        if (messages.length > 0) await connection.notify(messages);
        else if (this.#closed.signal.aborted) break;
        else await connection.probe();
        this.#answeredAt = performance.now();
        if (this.#waiting.length === 0) await this.#waitForWork();
      }
      await connection.close();
    } catch {
      connection.cut();
      this.#hasLost = true; // messages under way may have arrived; reporting them as lost does no harm
    }
    this.#isHeard = false;
    this.#connection = undefined;
    this.#waiting = [];
  }

  /** Waits for a message to send, for the end of the connection, for the close, or for the next probe. */
  async #waitForWork(): Promise<void> {
    if (this.#closed.signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    const timer = setTimeout(resolve, probeMs).unref();
    await promise;
    clearTimeout(timer);
  }

  /** Runs after all arrived data was read, so that a stalled event loop is not mistaken for a silent server. */
  #look(): void {
    const silentFor = this.#connection?.silentMs ?? 0;
    if (silentFor >= silentMs) this.#connection?.cut();
    if (!this.#isHeard || silentFor >= probeMs) this.#notifyMissed();
  }

  /** A number, a subject and a text. The number keeps PostgreSQL from merging equal messages. */
  #message(subject: string, text: string): string {
    return `${++this.#count} ${subject}\n${text}`;
  }

  #hear(message: string): void {
    const [, subject = "", text = ""] = /^\d+ (.*)\n([^]*)$/.exec(message) ?? [];
    if (subject === lost) return this.#notifyMissed();
    try {
      for (const handler of this.#handlers.get(subject) ?? []) handler(text);
    } catch {
      this.#notifyMissed(); // see Announcements.hear
    }
  }

  #notifyMissed(): void {
    for (const handler of this.#missedHandlers) handler();
  }
}
