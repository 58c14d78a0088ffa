import type { Log } from "@faultline/plugin";
import type { Servers } from "./connection.ts";
import { intakeStream } from "./names.ts";

const askEveryMs = 1_000;

/** How far storing is behind accepting, by the clocks of the servers, in milliseconds since 1970. */
export interface Lag {
  /** When the newest message was accepted; 0 before the first. */
  readonly acceptedAt: number;
  /** Everything accepted before is stored, or is a dead letter. */
  readonly storedAt: number;
  /** Messages that wait to be stored; each holds one event or many. */
  readonly pending: number;
  /** The age of the oldest that waits, in milliseconds; 0 when none does. */
  readonly lagMs: number;
  /** When the servers were asked, by `performance.now()`. */
  readonly askedAt: number;
}

/** Asks the stream each second, so that whoever wants to know need not wait for it. */
export class LagWatch {
  #last: Lag | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** The last answer; undefined before the first. */
  get last(): Lag | undefined {
    return this.#last;
  }

  start(servers: Servers, log: Log): void {
    let isAsking = false;
    let hasFailed = false;
    const ask = async () => {
      if (isAsking || !servers.isConnected()) return;
      isAsking = true;
      try {
        this.#last = await askLag(servers);
        hasFailed = false;
      } catch (error) {
        if (!hasFailed) log.warn({ err: error }, "the queue does not tell how much waits in it");
        hasFailed = true;
      } finally {
        isAsking = false;
      }
    };
    this.#timer = setInterval(() => void ask(), askEveryMs);
    void ask();
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}

/** The stream holds exactly what is not stored, so that its first message is the oldest that waits. */
export async function askLag({ manager }: Servers): Promise<Lag> {
  const { state, ts } = await manager.streams.info(intakeStream);
  const pending = state.messages;
  const acceptedAt = state.last_seq === 0 ? 0 : Date.parse(state.last_ts);
  const storedAt = pending === 0 ? acceptedAt : Date.parse(state.first_ts);
  const now = ts === undefined ? Date.now() : Date.parse(ts);
  return {
    acceptedAt,
    storedAt,
    pending,
    lagMs: pending === 0 ? 0 : Math.max(now - storedAt, 0),
    askedAt: performance.now(),
  };
}
