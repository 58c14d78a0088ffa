import type { Log } from "@faultline/plugin";
import type { Servers } from "./connection.ts";

/** Polls the servers, so that readers of the answer need not wait for it. */
export class Watch<Answer> {
  readonly #ask: (servers: Servers) => Promise<Answer>;
  readonly #everyMs: number;
  readonly #onFault: string;
  #last: Answer | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** `onFault` is the log message of the first consecutive failure. */
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
