/** The sizes that the first bytes of a brotli body announce (RFC 7932, sections 9.1 and 9.2). */
interface BrotliStart {
  /** Bytes of the window, a power of 2. */
  readonly windowBytes: number;
  /** Bytes of the whole after decompression. Undefined: its first meta-block is not its only one, or is cut off. */
  readonly wholeBytes: number | undefined;
}

export function brotliStart(start: Buffer): BrotliStart {
  const bits = new Bits(start);
  const windowBytes = 2 ** readWindowBits(bits);
  const isOnly = bits.read(1) === 1;
  const isEmpty = isOnly && bits.read(1) === 1;
  if (isEmpty) return { windowBytes, wholeBytes: 0 };
  const nibbles = [4, 5, 6, 0][bits.read(2)] ?? 0; // 0: a block of metadata
  const length = bits.read(4 * nibbles) + 1;
  const isWhole = isOnly && nibbles > 0 && !bits.isOver;
  return { windowBytes, wholeBytes: isWhole ? length : undefined };
}

/** WBITS. */
function readWindowBits(bits: Bits): number {
  if (bits.read(1) === 0) return 16;
  const high = bits.read(3);
  if (high !== 0) return 17 + high;
  const low = bits.read(3);
  return low === 0 ? 17 : 8 + low;
}

/** Reads bits from the lowest of the first byte on; beyond the end they are 0. */
class Bits {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** Whether a read went beyond the end. */
  get isOver(): boolean {
    return this.#at > this.#bytes.length * 8;
  }

  read(count: number): number {
    let value = 0;
    for (let n = 0; n < count; n++, this.#at++) {
      const byte = this.#bytes[this.#at >> 3] ?? 0;
      value += ((byte >> (this.#at & 7)) & 1) * 2 ** n;
    }
    return value;
  }
}
