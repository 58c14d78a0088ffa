import { malformed } from "../map-limits.ts";

/** The place of a JSON value: from its first byte to the byte after its last. */
export interface JsonRange {
  readonly start: number;
  readonly end: number;
}

/**
 * JSON that is read in place: most of a map is `mappings`, which are decoded from the bytes, and `sourcesContent`, which is
 * read text by text. JSON.parse of a map of 256 MiB would hold all of it twice more. Values that nobody asks for are skipped by
 * their brackets and quotes alone, without recursion, so that deep nesting costs nothing; what is wrong within them is not
 * noticed.
 */
export class JsonBytes {
  readonly bytes: Buffer;

  constructor(bytes: Uint8Array) {
    this.bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** The whole text without a byte order mark and without the line `)]}'`, which keeps a map from being run as a script. */
  root(): JsonRange {
    const { bytes } = this;
    let start = bytes.subarray(0, 3).equals(byteOrderMark) ? 3 : 0;
    if (bytes.subarray(start, start + guard.length).equals(guard)) {
      start = this.#skipSpace(start + guard.length);
      // More may follow on its line, such as a comma.
      if (bytes[start] !== code("{")) start = bytes.indexOf(code("\n"), start) + 1 || bytes.length;
    }
    start = this.#skipSpace(start);
    const end = this.#endOfValue(start);
    if (this.#skipSpace(end) < bytes.length) throw malformed(`its JSON ends at byte ${end}, and more text follows`);
    return { start, end };
  }

  isObject({ start }: JsonRange): boolean {
    return this.bytes[start] === code("{");
  }

  isArray({ start }: JsonRange): boolean {
    return this.bytes[start] === code("[");
  }

  isString({ start }: JsonRange): boolean {
    return this.bytes[start] === code('"');
  }

  /** The wanted fields of an object; of two with the same key the last counts, as in JSON.parse. */
  fields<Key extends string>({ start }: JsonRange, wanted: readonly Key[]): Partial<Record<Key, JsonRange>> {
    const found: Partial<Record<Key, JsonRange>> = {};
    let at = this.#skipSpace(start + 1);
    while (this.bytes[at] !== code("}")) {
      if (this.bytes[at] !== code('"')) throw this.#unexpected(at);
      const key = { start: at, end: this.#endOfString(at) };
      at = this.#skipSpace(key.end);
      if (this.bytes[at] !== code(":")) throw this.#unexpected(at);
      const value = this.#valueAt(at + 1);
      // A longer key is not a wanted key, even if each character is escaped.
      const name = key.end - key.start < 200 ? this.string(key) : "";
      const known = wanted.find((one) => one === name);
      if (known !== undefined) found[known] = value;
      at = this.#next(value.end, code("}"));
    }
    return found;
  }

  /** The values of an array, one after the other. */
  *elements({ start }: JsonRange): Generator<JsonRange, undefined> {
    let at = this.#skipSpace(start + 1);
    while (this.bytes[at] !== code("]")) {
      const value = this.#valueAt(at);
      yield value;
      at = this.#next(value.end, code("]"));
    }
  }

  /** The text of a string. */
  string(range: JsonRange): string {
    const { start, end } = range;
    if (!this.#hasEscapes(range)) return this.bytes.toString("utf8", start + 1, end - 1);
    return this.#parse(range) as string;
  }

  /** The bytes of a string, in place where nothing in it is escaped. */
  stringBytes(range: JsonRange): Uint8Array {
    if (!this.#hasEscapes(range)) return this.bytes.subarray(range.start + 1, range.end - 1);
    return Buffer.from(this.string(range));
  }

  /** The number, boolean or null at the place; of anything else undefined. */
  primitive(range: JsonRange): unknown {
    if (this.isObject(range) || this.isArray(range) || this.isString(range)) return undefined;
    return this.#parse(range);
  }

  #parse({ start, end }: JsonRange): unknown {
    try {
      return JSON.parse(this.bytes.toString("utf8", start, end));
    } catch {
      throw malformed(`the JSON value at byte ${start} cannot be read`);
    }
  }

  #hasEscapes({ start, end }: JsonRange): boolean {
    return this.bytes.subarray(start, end).includes(code("\\"));
  }

  #valueAt(at: number): JsonRange {
    const start = this.#skipSpace(at);
    return { start, end: this.#endOfValue(start) };
  }

  /** Moves from the end of a value to the next value, or to the bracket that closes the list. */
  #next(at: number, closing: number): number {
    const next = this.#skipSpace(at);
    if (this.bytes[next] === closing) return next;
    if (this.bytes[next] !== code(",")) throw this.#unexpected(next);
    const after = this.#skipSpace(next + 1);
    if (this.bytes[after] === closing) throw this.#unexpected(after);
    return after;
  }

  #skipSpace(at: number): number {
    let next = at;
    while (space.has(this.bytes[next] ?? 0)) next += 1;
    return next;
  }

  #endOfValue(start: number): number {
    const first = this.bytes[start];
    if (first === code('"')) return this.#endOfString(start);
    if (first === code("{") || first === code("[")) return this.#endOfNested(start);
    let end = start;
    while (isWord(this.bytes[end])) end += 1;
    if (end === start) throw this.#unexpected(start);
    return end;
  }

  #endOfString(start: number): number {
    const { bytes } = this;
    for (let quote = bytes.indexOf(34, start + 1); quote !== -1; quote = bytes.indexOf(34, quote + 1)) {
      let before = quote - 1;
      while (before > start && bytes[before] === 92) before -= 1;
      if ((quote - before) % 2 === 1) return quote + 1; // the backslashes before it escape each other
    }
    throw malformed(`the text that begins at byte ${start} has no end`);
  }

  #endOfNested(start: number): number {
    const { bytes } = this;
    let depth = 0;
    for (let at = start; at < bytes.length; at++) {
      const byte = bytes[at];
      if (byte === 34) at = this.#endOfString(at) - 1;
      else if (byte === 123 || byte === 91) depth += 1;
      else if (byte === 125 || byte === 93) {
        depth -= 1;
        if (depth === 0) return at + 1;
      }
    }
    throw malformed(`the list or object that begins at byte ${start} has no end`);
  }

  #unexpected(at: number) {
    const byte = this.bytes[at];
    return malformed(byte === undefined ? "its JSON ends in the middle" : `its JSON cannot be read at byte ${at}`);
  }
}

const code = (character: string) => character.charCodeAt(0);
const byteOrderMark = Buffer.from("\ufeff");
const guard = Buffer.from(")]}'");
const space = new Set([..." \t\r\n"].map(code));

/** The characters of numbers, true, false and null. */
function isWord(byte = 0): boolean {
  return (
    (byte >= 48 && byte <= 57) ||
    (byte >= 97 && byte <= 122) ||
    byte === 43 ||
    byte === 45 ||
    byte === 46 ||
    byte === 69
  );
}
