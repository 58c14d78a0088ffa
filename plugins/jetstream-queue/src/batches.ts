import type { Packed } from "./message.ts";

/** A batch is closed at this size. Larger ones copy no faster, and each item waits for the whole batch. */
export const batchBytes = 512 * 1024;
export const batchItems = 500;

/** Intakes that share one message. */
export interface Batch {
  readonly packed: Packed[];
  bytes: number;
  items: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
  readonly settled: Promise<void>;
}

/** Fills batches in the order of arrival. A batch exceeds its bound only when a single packed intake does. */
export class Batches {
  readonly #full: Batch[] = [];
  #open: Batch | undefined;

  /** Settles with the batch that takes it. */
  add(packed: Packed): Promise<void> {
    const { bytes, items } = packed;
    let batch = this.#open;
    if (batch && (batch.bytes + bytes.length > batchBytes || batch.items + items > batchItems)) {
      this.#full.push(batch);
      batch = undefined;
    }
    batch ??= { packed: [], bytes: 0, items: 0, ...settling() };
    batch.packed.push(packed);
    batch.bytes += bytes.length;
    batch.items += items;
    this.#open = batch;
    return batch.settled;
  }

  /** Whether there is a batch that waits for no more items. */
  get hasFull(): boolean {
    return this.#full.length > 0;
  }

  /** Whether there is no batch. */
  get isEmpty(): boolean {
    return !this.#open && this.#full.length === 0;
  }

  /** The oldest batch, full or not. */
  next(): Batch | undefined {
    const full = this.#full.shift();
    if (full) return full;
    const open = this.#open;
    this.#open = undefined;
    return open;
  }
}

function settling(): Pick<Batch, "resolve" | "reject" | "settled"> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  return { settled: promise, resolve, reject };
}
