import { AsyncResource } from "node:async_hooks";

/**
 * Work that begins a little at a time in each turn of the event loop, so that other work gets its turns. Those who ask take turns,
 * however much each of them has waiting; the work of one begins in its order.
 */
export class LoopTurns {
  readonly #perTurn: number;
  readonly #waitingAtMost: number;
  /** Waiting work by who asked for it; first the one whose turn was longest ago. */
  readonly #waiting = new Map<string, (() => void)[]>();
  #begun = 0;
  #isScheduled = false;

  /** `waitingAtMost`: of one who asks. */
  constructor(perTurn: number, waitingAtMost = Infinity) {
    this.#perTurn = perTurn;
    this.#waitingAtMost = waitingAtMost;
  }

  /** Whether the next work begins at once. */
  get isFree(): boolean {
    return this.#begun < this.#perTurn && this.#waiting.size === 0;
  }

  /** Runs `begin` at its turn: before this returns, if that is now. Returns false for work beyond what may wait, which never runs. */
  take(begin: () => void, by = ""): boolean {
    this.#schedule();
    if (this.isFree) {
      this.#begun++;
      begin();
      return true;
    }
    const own = this.#waiting.get(by) ?? [];
    if (own.length >= this.#waitingAtMost) return false;
    own.push(AsyncResource.bind(begin)); // keeps the span of the request
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
      if (own.length > 0) this.#waiting.set(by, own); // after the others
    }
    return next;
  }
}
