import { setTimeout as delay } from "node:timers/promises";
import { mostAnnouncedBytes, type Announcements } from "@faultline/plugin";
import { backoff, jittered } from "@faultline/plugin/flow";
import { ListeningConnection } from "./listening-connection.ts";

/** The interval of probes, and how long the connection may leave one unanswered. */
const probeMs = 500;
const silentMs = 2_000;

/** Between attempts to connect, growing. */
const pauses = { firstMs: 100, longestMs: 3_000 };

/** Messages per statement, and in all while one is under way: beyond that they are reported as lost. */
const messagesAtOnce = 64;
const mostWaiting = 1_000;

/** The message that announcements were lost and that the other processes must re-read. */
const lost = "lost";

/**
 * Announcements over LISTEN and NOTIFY, on a connection beside the pool: one that ends, or does not answer for two
 * seconds, is replaced.
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

  /** Connects; fails with NotListening where notifications do not arrive. */
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

  /** The server's process of the current connection; 0 while there is none. */
  get backendPid(): number {
    return this.#isHeard ? (this.#connection?.backendPid ?? 0) : 0;
  }

  /** Whether the server has answered nothing for two seconds, on this connection or to attempts to connect again. */
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
      // With jitter: many processes lose their connections together.
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

  /** Sends waiting messages, and probes the connection when there are none, until it ends or all is closed. */
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
      this.#hasLost = true; // messages under way may have arrived; reporting them as lost as well does no harm
    }
    this.#isHeard = false;
    this.#connection = undefined;
    this.#waiting = [];
  }

  /** Waits for a message to send, for the end of the connection or of all, or for the next probe. */
  async #waitForWork(): Promise<void> {
    if (this.#closed.signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    const timer = setTimeout(resolve, probeMs).unref();
    await promise;
    clearTimeout(timer);
  }

  /** Runs after the arrived data was read, so that a stalled event loop is not mistaken for a silent server. */
  #look(): void {
    const silentFor = this.#connection?.silentMs ?? 0;
    if (silentFor >= silentMs) this.#connection?.cut();
    if (!this.#isHeard || silentFor >= probeMs) this.#notifyMissed();
  }

  /** A number, a subject and a text. Because of the number PostgreSQL does not merge equal messages. */
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
