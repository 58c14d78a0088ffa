import type { RangeReader } from "../../../plugins/source-maps/src/mapping/look-up.ts";

/** Reads an index from memory, and records the number and size of reads. */
export class MemoryReader implements RangeReader {
  readCount = 0;
  longestRead = 0;
  readonly #index: Uint8Array;

  constructor(index: Uint8Array) {
    this.#index = index;
  }

  get size(): number {
    return this.#index.length;
  }

  async read(offset: number, length: number): Promise<Uint8Array> {
    this.readCount += 1;
    this.longestRead = Math.max(this.longestRead, length);
    if (offset < 0 || offset + length > this.size) throw new Error(`There is no byte ${offset + length}.`);
    return this.#index.subarray(offset, offset + length);
  }
}

export const readerOf = (index: Uint8Array) => new MemoryReader(index);
