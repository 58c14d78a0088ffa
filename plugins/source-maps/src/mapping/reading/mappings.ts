import { malformed, tooMany } from "../map-limits.ts";
import { comparePositions, type Position, type Segments } from "./segments.ts";

/** Where the mappings of a map belong in the whole: a map by itself begins at 0 and has no end. */
export interface Place {
  /** Where the generated text of the section begins. Its column counts in the first line only. */
  readonly start: Position;
  /** Where the next section begins, which counts from there. */
  readonly end: Position;
  /** The index of its first source in the whole. */
  readonly firstSource: number;
  readonly sourceCount: number;
  /** Where its names are in the texts, by their index. */
  readonly names: Uint32Array;
}

/** How many segments the text holds, if it is correct. */
export function countSegments(mappings: Uint8Array): number {
  let count = 0;
  let isBetween = true;
  for (let at = 0; at < mappings.length; at++) {
    const isSeparator = mappings[at] === comma || mappings[at] === semicolon;
    if (isBetween && !isSeparator) count += 1;
    isBetween = isSeparator;
  }
  return count;
}

/**
 * Appends the segments of `mappings` (ECMA-426, Base64 VLQ): lines end in `;`, segments in `,`, and each number is the
 * difference to the one before. Straight from the bytes into columns, so that no segment is an object. Refuses what is no VLQ,
 * numbers and sums beyond 32 bits, negative sums, segments of 2 or 3 numbers, and sources that do not exist. A name that does
 * not exist is ignored: some tools empty `names` to save room. More than 5 numbers are left to future versions.
 */
export function readMappings(mappings: Uint8Array, place: Place, segments: Segments, limit: number): void {
  const { start, end, firstSource, sourceCount, names } = place;
  segments.reserve(Math.min(countSegments(mappings), limit - segments.length));
  const reader = new VlqReader(mappings);
  let line = start.line;
  let firstColumn = start.column;
  let column = 0;
  let source = 0;
  let originalLine = 0;
  let originalColumn = 0;
  let name = 0;
  while (reader.at < mappings.length) {
    const byte = mappings[reader.at];
    if (byte === semicolon) {
      line += 1;
      firstColumn = 0;
      column = 0;
    }
    if (byte === semicolon || byte === comma) {
      reader.at += 1;
      continue;
    }
    column = reader.sum(column, "a column");
    let hasSource = false;
    let text = 0;
    if (reader.hasMore()) {
      hasSource = true;
      source = reader.sum(source, "a source");
      originalLine = reader.sum(originalLine, "an original line");
      originalColumn = reader.sum(originalColumn, "an original column");
      if (source >= sourceCount) throw malformed(`its mappings name source ${source}, and it has only ${sourceCount}`);
      if (reader.hasMore()) {
        name = reader.sum(name, "a name");
        text = names[name] ?? 0;
        while (reader.hasMore()) reader.next();
      }
    }
    const whole = firstColumn + column;
    if (comparePositions(line, whole, end.line, end.column) >= 0) continue;
    if (line > maxSum || whole > maxSum) throw malformed("a section begins too far behind");
    if (segments.length >= limit) throw tooMany(limit, "mappings");
    if (hasSource) segments.push(line, whole, firstSource + source + 1, originalLine, originalColumn, text);
    else segments.push(line, whole, 0, 0, 0, 0);
  }
}

export const comma = 44;
export const semicolon = 59;

/** ECMA-426 bounds each number to 32 bits with its sign; we bound what they add up to as well. */
const maxSum = 2 ** 31 - 1;

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

  /** Whether the segment continues. */
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
      value += (digit & 31) * scale; // in floating point, because shifts would drop what exceeds 32 bits
      if (value >= 2 ** 32) throw malformed(`its mappings hold a number beyond 32 bits, at character ${this.at}`);
      if (digit < 32) break;
      if (scale > 2 ** 32) throw malformed(`its mappings hold a number without end, at character ${this.at}`);
    }
    const magnitude = Math.floor(value / 2);
    if (value % 2 === 0) return magnitude;
    return magnitude === 0 ? -(2 ** 31) : -magnitude; // ECMA-426: minus zero is the smallest number
  }
}
