import type { Log } from "@faultline/plugin";
import type { Servers } from "./connection.ts";

/** Asks the servers the same thing again and again, so that whoever wants to know need not wait for it. */
export class Watch<Answer> {
  readonly #ask: (servers: Servers) => Promise<Answer>;
  readonly #everyMs: number;
  readonly #onFault: string;
  #last: Answer | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** `onFault` is what the log says of the first failure in a row. */
  constructor(ask: (servers: Servers) => Promise<Answer>, parts: { everyMs: number; onFault: string }) {
    this.#ask = ask;
    this.#everyMs = parts.everyMs;
    this.#onFault = parts.onFault;
  }

  /** The last answer; undefined before the first. */
  get last(): Answer | undefined {
    return this.#last;
  }

  start(servers: Servers, log: Log): void {
    let isAsking = false;
    let hasFailed = false;
    const ask = async () => {
      if (isAsking || !servers.isConnected()) return;
      isAsking = true;
      try {
        this.#last = await this.#ask(servers);
        hasFailed = false;
      } catch (error) {
        if (!hasFailed) log.warn({ err: error }, this.#onFault);
        hasFailed = true;
      } finally {
        isAsking = false;
      }
    };
    this.#timer = setInterval(() => void ask(), this.#everyMs);
    void ask();
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
