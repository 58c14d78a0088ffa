import type { Position } from "../reading/segments.ts";

/** Where the lines of a text begin, as JavaScript ends them (ECMA-262, LineTerminatorSequence) and browsers count them. */
export class LineStarts {
  readonly #starts: Uint32Array;

  constructor(text: string) {
    const starts = [0];
    for (const {
      index,
      0: { length },
    } of text.matchAll(/\r\n|[\n\r\u2028\u2029]/g))
      starts.push(index + length);
    this.#starts = Uint32Array.from(starts);
  }

  /** The line and column of an offset, all of them from 0 and in UTF-16 units. */
  positionOf(offset: number): Position {
    let low = 0;
    let high = this.#starts.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#starts[middle] ?? 0) <= offset) low = middle + 1;
      else high = middle;
    }
    return { line: low - 1, column: offset - (this.#starts[low - 1] ?? 0) };
  }

  /** Where a line begins; behind all texts if there is none. */
  offsetOf(line: number): number {
    return this.#starts[line] ?? Infinity;
  }
}
