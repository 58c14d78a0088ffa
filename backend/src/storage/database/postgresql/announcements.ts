import { setTimeout as delay } from "node:timers/promises";
import { mostAnnouncedBytes, type Announcements } from "@faultline/plugin";
import { ListeningConnection } from "./listening-connection.ts";

/** How often the connection is asked whether it lives, and how long it may owe an answer. */
const probeMs = 500;
const silentMs = 2_000;

/** Between attempts to connect, growing. */
const firstPauseMs = 100;
const longestPauseMs = 3_000;

/** In one statement, and in all while one is under way: more than that are told as lost. */
const toldAtOnce = 64;
const mostWaiting = 1_000;

/** Tells the others that something was told to nobody. */
const lost = "lost";

/**
 * Announcements over LISTEN and NOTIFY, on a connection that is kept beside the pool: one that ends, or does not answer
 * for two seconds, is made anew.
 */
export class PostgresqlAnnouncements implements Announcements {
  readonly #url: string;
  readonly #handlers = new Map<string, ((text: string) => void)[]>();
  readonly #missedHandlers: (() => void)[] = [];
  readonly #closed = new AbortController();
  #connection: ListeningConnection | undefined;
  #isHeard = false;
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

  /** Connects; fails with NotListening where notifications are not passed on. */
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

  /** Of the connection now; 0 while there is none. */
  get backendPid(): number {
    return this.#isHeard ? (this.#connection?.backendPid ?? 0) : 0;
  }

  /** Tells what waits and closes the connection; it takes at most a second. */
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
      return connection;
    } catch (error) {
      this.#connection?.cut();
      this.#connection = undefined;
      throw error;
    }
  }

  async #run(): Promise<void> {
    for (let failures = 0; ; failures++) {
      if (this.#connection) {
        await this.#serve(this.#connection);
        failures = 0;
      }
      if (this.#closed.signal.aborted) return;
      // Not all at once: many processes lose their connections together.
      const pauseMs = Math.min(firstPauseMs * 2 ** failures, longestPauseMs) * (0.5 + Math.random() / 2);
      await delay(pauseMs, undefined, { signal: this.#closed.signal }).catch(() => undefined); // closed meanwhile
      if (this.#closed.signal.aborted) return;
      await this.#connect().then(
        () => this.#tellMissed(),
        () => undefined, // the next attempt follows; that the database is away is told by whoever needs it
      );
    }
  }

  /** Tells what waits, and probes the connection when nothing does, until it ends or all is closed. */
  async #serve(connection: ListeningConnection): Promise<void> {
    try {
      for (;;) {
        const messages = this.#waiting.splice(0, toldAtOnce);
        if (this.#hasLost) messages.push(this.#message(lost, ""));
        this.#hasLost = false;
        if (messages.length > 0) await connection.notify(messages);
        else if (this.#closed.signal.aborted) break;
        else await connection.probe();
        if (this.#waiting.length === 0) await this.#toldSomething();
      }
      await connection.close();
    } catch {
      connection.cut();
      this.#hasLost = true; // what was under way may have been told; that it is told again as lost does no harm
    }
    this.#isHeard = false;
    this.#connection = undefined;
    this.#waiting = [];
  }

  /** Waits for something to tell, for the end of the connection or of all, or for the next probe. */
  async #toldSomething(): Promise<void> {
    if (this.#closed.signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    const timer = setTimeout(resolve, probeMs).unref();
    await promise;
    clearTimeout(timer);
  }

  /** It runs after what has arrived was read, so that an event loop that stood still is not taken for a silent server. */
  #look(): void {
    const silentFor = this.#connection?.silentMs ?? 0;
    if (silentFor >= silentMs) this.#connection?.cut();
    if (!this.#isHeard || silentFor >= probeMs) this.#tellMissed();
  }

  /** A number, a subject and a text. The number keeps PostgreSQL from passing on equal ones once. */
  #message(subject: string, text: string): string {
    return `${++this.#count} ${subject}\n${text}`;
  }

  #hear(message: string): void {
    const [, subject = "", text = ""] = /^\d+ (.*)\n([^]*)$/.exec(message) ?? [];
    if (subject === lost) return this.#tellMissed();
    try {
      for (const handler of this.#handlers.get(subject) ?? []) handler(text);
    } catch {
      this.#tellMissed(); // see Announcements.hear
    }
  }

  #tellMissed(): void {
    for (const handler of this.#missedHandlers) handler();
  }
}
