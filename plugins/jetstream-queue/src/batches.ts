import type { Packed } from "./message.ts";

/** A batch is closed at this size: larger ones copy no faster, and each waits for the whole of it. */
export const batchBytes = 512 * 1024;
export const batchItems = 500;

/** Intakes that go in one message. */
export interface Batch {
  readonly packed: Packed[];
  bytes: number;
  items: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
  readonly settled: Promise<void>;
}

/** Fills batches in the order of arrival; none is larger than it may be unless one packed intake is. */
export class Batches {
  readonly #full: Batch[] = [];
  #open: Batch | undefined;

  /** Resolves and rejects with the batch that takes it. */
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

  /** Whether a batch can be had that waits for nothing more. */
  get hasFull(): boolean {
    return this.#full.length > 0;
  }

  /** Whether there is any. */
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
