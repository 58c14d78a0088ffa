import type { GroupCommit } from "./ingest/group-commit.ts";

/** An answer is good for this long; longer waits for the database mean that it is not ready. */
const freshMs = 1_000;

/** Tells whether an event would be stored now, by the last batch or else by a small write of its own. */
export class Readiness {
  readonly #queue: GroupCommit;
  readonly #canWrite: () => Promise<boolean>;
  #last: { at: number; answer: Promise<boolean> } | undefined;

  constructor(queue: GroupCommit, canWrite: () => Promise<boolean>) {
    this.#queue = queue;
    this.#canWrite = canWrite;
  }

  isReady(): Promise<boolean> {
    const now = performance.now();
    if (!this.#queue.isFailing && now - this.#queue.lastStoredAt < freshMs) return Promise.resolve(true);
    if (!this.#last || now - this.#last.at >= freshMs) this.#last = { at: now, answer: this.#probe() };
    return this.#last.answer;
  }

  #probe(): Promise<boolean> {
    const { promise: late, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => resolve(false), freshMs);
    return Promise.race([this.#canWrite(), late]).finally(() => clearTimeout(timer));
  }
}
