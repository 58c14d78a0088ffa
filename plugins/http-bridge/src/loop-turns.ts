import { AsyncResource } from "node:async_hooks";

/**
 * Begins a little work in each turn of the event loop, so that other work can run. Callers take turns, however much
 * work each of them has waiting. Work of the same caller begins in its order.
 */
export class LoopTurns {
  readonly #perTurn: number;
  readonly #waitingAtMost: number;
  /** Waiting work by caller; the caller with the least recent turn comes first. */
  readonly #waiting = new Map<string, (() => void)[]>();
  #begun = 0;
  #isScheduled = false;

  /** `waitingAtMost` limits the waiting work per caller. */
  constructor(perTurn: number, waitingAtMost = Infinity) {
    this.#perTurn = perTurn;
    this.#waitingAtMost = waitingAtMost;
  }

  /** Whether the next work begins immediately. */
  get isFree(): boolean {
    return this.#begun < this.#perTurn && this.#waiting.size === 0;
  }

  /**
   * Runs `begin` at its turn, possibly before this returns. Returns false and never runs it if too much work waits.
   */
  take(begin: () => void, by = ""): boolean {
    this.#schedule();
    if (this.isFree) {
      this.#begun++;
      begin();
      return true;
    }
    const own = this.#waiting.get(by) ?? [];
    if (own.length >= this.#waitingAtMost) return false;
    own.push(AsyncResource.bind(begin)); // keeps the request's span
    this.#waiting.set(by, own);
    return true;
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      const next = this.#next();
      this.#begun = next.length;
      if (next.length > 0) this.#schedule();
      for (const begin of next) begin();
    });
  }

  #next(): (() => void)[] {
    const next: (() => void)[] = [];
    while (next.length < this.#perTurn) {
      const [first] = this.#waiting;
      if (!first) break;
      const [by, own] = first;
      const begin = own.shift();
      if (begin) next.push(begin);
      this.#waiting.delete(by);
      if (own.length > 0) this.#waiting.set(by, own); // behind the others
    }
    return next;
  }
}
