import { getHeapStatistics } from "node:v8";
import { readFunctions, type FunctionTaker, type NamedFunction, type NamePart } from "./names/functions.ts";
import type { MapLimits } from "./map-limits.ts";
import { OriginalNames, LineStarts } from "./names/original-names.ts";
import type { ReadMap } from "./reading/read-map.ts";
import type { Texts } from "./table.ts";

/** From which positions of the minified text on which function's name holds, as columns that are sorted by position. */
export interface Scopes {
  readonly length: number;
  /** Line, column, and the place of the name in the texts; 0 without a name. */
  readonly columns: readonly [Uint32Array, Uint32Array, Uint32Array];
}

/**
 * The names of the functions of a minified text. The names of a map are names of tokens, so the name at an error's position is
 * often the name of the function it calls: the function around it is known only from the text. Each part of its name is mapped where
 * it is in the text; a part without an original name keeps its name there. Undefined if the text cannot be parsed, or takes
 * more time, memory or functions than the limits grant; only the names are lost then.
 */
export function readScopes(minified: string, map: ReadMap, limits: MapLimits): Scopes | undefined {
  if (minified.length > limits.minifiedLength) return undefined;
  const lines = new LineStarts(minified);
  const deadline = performance.now() + limits.namesMs;
  for (const sourceType of ["module", "script"] as const) {
    const functions = new Functions(new Names(lines, map, limits.textBytes), limits.functions, deadline);
    try {
      readFunctions(minified, sourceType, functions);
      return scopesOf(functions, lines);
    } catch (error) {
      if (error instanceof SyntaxError) continue;
      if (error instanceof RangeError || error instanceof TooMuch) return undefined;
      throw error;
    }
  }
  return undefined;
}

/** The names need more than the limits grant. */
class TooMuch extends Error {}

/**
 * Of a thread's heap, with what it holds already. TypeScript's compiler, minified to 3.5 MB, needs half of it; 10 MiB of numbers in
 * one list would take ten times as much.
 */
const namesShare = 0.5;

/** The functions of a text as columns: as objects they would take 150 bytes each. */
class Functions implements FunctionTaker {
  readonly starts: number[] = [];
  readonly ends: number[] = [];
  readonly names: number[] = [];
  readonly #names: Names;
  readonly #limit: number;
  readonly #deadline: number;
  #nodeCount = 0;

  constructor(names: Names, limit: number, deadline: number) {
    this.#names = names;
    this.#limit = limit;
    this.#deadline = deadline;
  }

  readonly take = (found: NamedFunction) => {
    if (this.starts.length >= this.#limit) throw new TooMuch();
    this.starts.push(found.start);
    this.ends.push(found.end);
    this.names.push(this.#names.add(found));
  };

  /** Asking takes 1 µs, so not each time. */
  readonly onNode = () => {
    if (++this.#nodeCount % 4096 !== 0) return;
    const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
    if (used > limit * namesShare || performance.now() > this.#deadline) throw new TooMuch();
  };
}

/** The names of functions among the texts, each once. */
class Names {
  readonly #known = new Map<string, number>();
  readonly #lines: LineStarts;
  readonly #originals: OriginalNames;
  readonly #texts: Texts;
  readonly #textBytes: number;

  constructor(lines: LineStarts, map: ReadMap, textBytes: number) {
    this.#lines = lines;
    this.#originals = new OriginalNames(map);
    this.#texts = map.texts;
    this.#textBytes = textBytes;
  }

  /**
   * Where the text of a function's name is; 0 if it has none. A constructor is called `new Class`, as in V8's stacks. A function
   * that minifiers moved to its only use (Terser, SWC) lost its own name there, but not in the original text. dart2js names a function
   * at its closing brace. It gives each one a name, and Terser has the name of a variable at the brace of a callback that ends in one.
   */
  add({ start, end, name: parts, hasOwnName, isConstructor }: NamedFunction): number {
    const declared = hasOwnName ? undefined : this.#declared(start);
    const minified = parts.map(({ text }) => text).join(".");
    const mapped = parts.map((part) => this.#original(part)).join(".");
    const own = mapped === minified && minified !== "" ? (this.#atEnd(end) ?? mapped) : mapped;
    const name = declared ?? (isConstructor && own !== "" ? `new ${own}` : own);
    if (name === "") return 0;
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    if (this.#texts.length + name.length > this.#textBytes) throw new TooMuch();
    const offset = this.#texts.add(Buffer.from(name));
    this.#known.set(name, offset);
    return offset;
  }

  #atEnd(end: number): string | undefined {
    const { line, column } = this.#lines.positionOf(end - 1);
    return this.#originals.named(line, column);
  }

  #declared(start: number): string | undefined {
    const { line, column } = this.#lines.positionOf(start);
    return this.#originals.ofFunction(line, column);
  }

  #original({ text, at }: NamePart): string {
    if (at === undefined) return text;
    const { line, column } = this.#lines.positionOf(at);
    const name = this.#originals.at(line, column);
    if (name === undefined) return text;
    return text.startsWith("#") && !name.startsWith("#") ? `#${name}` : name;
  }
}

/** Flattens nested functions to positions where the innermost function changes. */
function scopesOf({ starts, ends, names }: Functions, lines: LineStarts): Scopes {
  const order = Uint32Array.from(starts.keys());
  const startOf = (index: number) => starts[index] ?? 0;
  const endOf = (index: number) => ends[index] ?? 0;
  order.sort((one, other) => startOf(one) - startOf(other) || endOf(other) - endOf(one));
  const offsets: number[] = [];
  const namesFrom: number[] = [];
  const change = (offset: number, name: number) => {
    if (offsets.at(-1) === offset) namesFrom[namesFrom.length - 1] = name;
    else if ((namesFrom.at(-1) ?? 0) !== name) {
      offsets.push(offset);
      namesFrom.push(name);
    }
  };
  const around: number[] = [];
  const endBefore = (offset: number) => {
    for (let last = around.at(-1); last !== undefined && endOf(last) <= offset; last = around.at(-1)) {
      around.pop();
      change(endOf(last), names[around.at(-1) ?? -1] ?? 0);
    }
  };
  for (const index of order) {
    endBefore(startOf(index));
    change(startOf(index), names[index] ?? 0);
    around.push(index);
  }
  endBefore(Infinity);
  const lineOf = new Uint32Array(offsets.length);
  const columnOf = new Uint32Array(offsets.length);
  for (const [index, offset] of offsets.entries()) {
    const { line, column } = lines.positionOf(offset);
    lineOf[index] = line;
    columnOf[index] = column;
  }
  return { length: offsets.length, columns: [lineOf, columnOf, Uint32Array.from(namesFrom)] };
}
