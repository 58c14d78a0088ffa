import { type LineIndex, eachLineEnd } from "./line-index.ts";

/** A slice of a text: its number, and where its bytes lie. */
export interface Slice {
  readonly number: number;
  readonly offset: number;
  readonly length: number;
}

/** Where a line ends and the next one begins, in UTF-16 units from the start of the text. */
export interface LineEnd {
  readonly end: number;
  readonly next: number;
}

/** A text of which the slices are read that are needed, each once. All methods fail as `read` fails. */
export class SlicedText {
  readonly #index: LineIndex;
  readonly #read: (slice: Slice) => Promise<Uint8Array>;
  readonly #known = new Map<number, string>();

  constructor(index: LineIndex, read: (slice: Slice) => Promise<Uint8Array>) {
    this.#index = index;
    this.#read = read;
  }

  /** At least 1: the last line has no end. */
  get lineCount(): number {
    return this.#index.textEnd.lineEnds + 1;
  }

  /** The ends of lines, in their order; 0 is the start of the text, and that of the last line its end. */
  async lineEnds(first: number, last: number): Promise<LineEnd[]> {
    const { lineEnds: count, units } = this.#index.textEnd;
    const found: LineEnd[] = first === 0 ? [{ end: 0, next: 0 }] : [];
    for (let wanted = first + found.length; wanted <= Math.min(last, count);) {
      const slice = this.#index.sliceOfLineEnd(wanted);
      found.push(...(await this.#lineEndsIn(slice, wanted, last)));
      wanted = this.#index.slice(slice).end.lineEnds + 1;
    }
    if (last > count) found.push({ end: units, next: units });
    return found;
  }

  /** The text between two units, of which it has few. */
  async between(from: number, to: number): Promise<string> {
    let text = "";
    while (from + text.length < to) {
      const slice = this.#index.sliceOfUnit(from + text.length);
      const { start } = this.#index.slice(slice);
      text += (await this.#text(slice)).slice(from + text.length - start.units, to - start.units);
    }
    return text;
  }

  async #lineEndsIn(slice: number, first: number, last: number): Promise<LineEnd[]> {
    const { start } = this.#index.slice(slice);
    const found: LineEnd[] = [];
    let number = start.lineEnds;
    eachLineEnd(await this.#text(slice), (end, next) => {
      number += 1;
      if (number >= first && number <= last) found.push({ end: start.units + end, next: start.units + next });
    });
    return found;
  }

  async #text(slice: number): Promise<string> {
    const known = this.#known.get(slice);
    if (known !== undefined) return known;
    const { start, end } = this.#index.slice(slice);
    const bytes = await this.#read({ number: slice, offset: start.bytes, length: end.bytes - start.bytes });
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();
    if (text.length !== end.units - start.units) throw new Error("A source is not the one that its index was made of.");
    this.#known.set(slice, text);
    return text;
  }
}
