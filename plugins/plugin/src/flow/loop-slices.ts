import { setImmediate } from "node:timers/promises";

/** The longest that a slice of work keeps the event loop, and with it ingestion, in milliseconds. */
const sliceMs = 2;

/** Divides work on the event loop into slices, between which everything else has its turn. */
export class LoopSlices {
  #began = performance.now();

  /** Resolves at once within a slice, and otherwise after everything that waits. */
  async next(): Promise<void> {
    if (performance.now() - this.#began < sliceMs) return;
    await setImmediate();
    this.#began = performance.now();
  }
}
