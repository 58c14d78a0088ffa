const nothing = Buffer.alloc(0);

/** Bytes that come in pieces. A lone piece is handed back as it came, without a copy. */
export class Gathered {
  #bytes: Buffer = nothing;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  push(piece: Buffer): void {
    const size = this.#size + piece.length;
    if (this.#size === 0) this.#bytes = piece;
    else {
      // Not a list of pieces: a client may send a megabyte in chunks of one byte, and a Buffer takes a hundred.
      if (size > this.#bytes.length) this.#grow(Math.max(size, 2 * this.#size));
      piece.copy(this.#bytes, this.#size);
    }
    this.#size = size;
  }

  /** All of them; what is pushed next begins anew. */
  take(): Buffer {
    const bytes = this.#bytes.length === this.#size ? this.#bytes : this.#bytes.subarray(0, this.#size);
    this.#bytes = nothing;
    this.#size = 0;
    return bytes;
  }

  #grow(capacity: number): void {
    const bytes = Buffer.allocUnsafe(capacity);
    this.#bytes.copy(bytes, 0, 0, this.#size);
    this.#bytes = bytes;
  }
}
