import { setTimeout as delay } from "node:timers/promises";
import { load } from "../support/service/load.ts";
import type { Field, Tally } from "./attack.ts";

export interface FloodOptions {
  readonly connections: number;
  /** A connection sends one so often at most, in milliseconds; after an answer the next one follows. Default 0. */
  readonly everyMs?: number;
  /** Ends the flood before its time. */
  readonly count?: number;
  /** The bytes of the next request. */
  readonly next: (index: number) => Buffer;
}

/** The time to wait for answers after the end. */
const lateMs = 10_000;

/** Sends requests until the attack's time has passed. If the service closes a connection, it is opened again. */
export async function flood({ url, seconds }: Pick<Field, "url" | "seconds">, options: FloodOptions): Promise<Tally> {
  const { connections, everyMs = 0, count = Infinity, next } = options;
  const answers = new Answers();
  const stopAt = performance.now() + seconds * 1000;
  let sent = 0;
  const isOver = () => performance.now() >= stopAt || sent >= count;
  const lane = async () => {
    while (!isOver()) {
      let sentAt = performance.now();
      let isAnswered = true;
      await load({
        url,
        connections: 1,
        everyMs,
        next() {
          if (isOver()) return undefined;
          sentAt = performance.now();
          isAnswered = false;
          return { id: "", parts: [next(sent++)] };
        },
        onAnswer(_, status) {
          isAnswered = true;
          answers.add(status);
        },
      });
      if (!isAnswered) answers.add("no answer");
      await delay(Math.max(5, Math.min(sentAt + everyMs, stopAt) - performance.now()));
    }
  };
  const lanes = Promise.all(Array.from({ length: connections }, lane));
  await Promise.race([lanes, delay(seconds * 1000 + lateMs)]);
  return answers.tally();
}

/** Repeats a call on several connections until the time has passed, with a pause before each. */
export async function again(
  { seconds }: Field,
  connections: number,
  call: (n: number) => Promise<number | string>,
  pauseMs = 5,
): Promise<Answers> {
  const answers = new Answers();
  const stopAt = performance.now() + seconds * 1000;
  let count = 0;
  const lane = async () => {
    while (performance.now() < stopAt) {
      answers.add(await call(count++).catch(() => "no answer"));
      await delay(pauseMs);
    }
  };
  await Promise.all(Array.from({ length: connections }, lane));
  return answers;
}

/** Counts answers as they come. */
export class Answers {
  readonly #counts: Record<string, number> = {};
  readonly faults: string[] = [];

  add(answer: number | string): void {
    this.#counts[answer] = (this.#counts[answer] ?? 0) + 1;
  }

  tally(): Tally {
    return { answers: { ...this.#counts }, faults: this.faults };
  }
}
