/** The most bytes of a text; longer ones are cut. So one read of the index fetches any of them. */
export const maxTextBytes = 1000;

/** The bytes before a text: its length. */
const prefixBytes = 2;

/** What to read of the index for a text, as its length is not known. */
export const textReadBytes = prefixBytes + maxTextBytes;

/** The texts of an index, each behind its length and found by its offset. The offset 0 is that of no text. */
export class Texts {
  #bytes = Buffer.alloc(1 << 16);
  #length = 1;

  get length(): number {
    return this.#length;
  }

  /** Appends the text in UTF-8; returns its offset. An empty one is none. */
  add(text: Uint8Array): number {
    const kept = text.length > maxTextBytes ? cut(text) : text;
    if (kept.length === 0) return 0;
    const offset = this.#length;
    this.#length += prefixBytes + kept.length;
    if (this.#length > this.#bytes.length) {
      this.#bytes = Buffer.concat([this.#bytes], Math.max(this.#length, this.#bytes.length * 2));
    }
    this.#bytes.writeUInt16LE(kept.length, offset);
    this.#bytes.set(kept, offset + prefixBytes);
    return offset;
  }

  at(offset: number): string | undefined {
    return offset === 0 ? undefined : textIn(this.#bytes.subarray(offset));
  }

  bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }
}

/** The text that begins there. */
export function textIn(bytes: Buffer): string {
  return bytes.toString("utf8", prefixBytes, prefixBytes + bytes.readUInt16LE(0));
}

/** Ends before a character that would be cut. */
function cut(text: Uint8Array): Uint8Array {
  let end = maxTextBytes;
  while (end > 0 && ((text[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return text.subarray(0, end);
}
