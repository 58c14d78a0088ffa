import { malformed } from "../map-error.ts";

export const comma = 44;
export const semicolon = 59;

/** ECMA-426 bounds each number to 32 bits with its sign; we bound what they add up to as well. */
export const maxSum = 2 ** 31 - 1;

/** The value of each Base64 character; of others 255. */
const digits = new Uint8Array(256).fill(255);
for (const [value, character] of [..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"].entries()) {
  digits[character.charCodeAt(0)] = value;
}

/** Reads the numbers of `mappings` (ECMA-426, Base64 VLQ), straight from the bytes. */
export class VlqReader {
  at = 0;
  readonly #text: Uint8Array;

  constructor(text: Uint8Array) {
    this.#text = text;
  }

  /** Whether the segment goes on. */
  hasMore(): boolean {
    const byte = this.#text[this.at];
    return byte !== undefined && byte !== comma && byte !== semicolon;
  }

  /** The next number added to the one before. */
  sum(before: number, what: string): number {
    const sum = before + this.next();
    if (sum < 0) throw malformed(`its mappings lead to ${what} below zero, at character ${this.at}`);
    if (sum > maxSum) throw malformed(`its mappings lead to ${what} beyond 32 bits, at character ${this.at}`);
    return sum;
  }

  next(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 32) {
      const digit = digits[this.#text[this.at] ?? 0] ?? 255;
      if (digit === 255) throw malformed(`its mappings cannot be read at character ${this.at}`);
      this.at += 1;
      value += (digit & 31) * scale; // in floating point, as shifts would drop what exceeds 32 bits
      if (value >= 2 ** 32) throw malformed(`its mappings hold a number beyond 32 bits, at character ${this.at}`);
      if (digit < 32) break;
      if (scale > 2 ** 32) throw malformed(`its mappings hold a number without end, at character ${this.at}`);
    }
    const magnitude = Math.floor(value / 2);
    if (value % 2 === 0) return magnitude;
    return magnitude === 0 ? -(2 ** 31) : -magnitude; // ECMA-426: minus zero is the smallest number
  }
}
