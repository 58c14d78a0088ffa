import { AsyncResource } from "node:async_hooks";

/**
 * Work that begins a little at a time in each turn of the event loop, in order of arrival, so that other work gets its
 * turns.
 */
export class LoopTurns {
  readonly #perTurn: number;
  readonly #waiting: (() => void)[] = [];
  #begun = 0;
  #isScheduled = false;

  constructor(perTurn: number) {
    this.#perTurn = perTurn;
  }

  /** Whether the next work begins at once. */
  get isFree(): boolean {
    return this.#begun < this.#perTurn && this.#waiting.length === 0;
  }

  /** Runs `begin` at its turn: before this returns, if that is now. */
  take(begin: () => void): void {
    this.#schedule();
    if (!this.isFree) {
      this.#waiting.push(AsyncResource.bind(begin)); // a span goes on in it
      return;
    }
    this.#begun++;
    begin();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      const next = this.#waiting.splice(0, this.#perTurn);
      this.#begun = next.length;
      if (next.length > 0) this.#schedule();
      for (const begin of next) begin();
    });
  }
}
