import { type LineIndex, eachLineEnd } from "./line-index.ts";

/** The text around a line of a source. */
export interface ContextLines {
  readonly before: readonly string[];
  readonly line: string;
  readonly after: readonly string[];
}

/** Lines before and after, as Sentry's SDKs send them. */
const linesAround = 5;

/** UTF-16 units that are left of a line, the mark of what was cut included: at most 1,540 in all. */
const lineLength = 140;

const mark = "…";

/**
 * The line of a text and five on each side, each cut to 140 UTF-16 units: the line itself around the column, the others at their
 * end. Line and column begin at 1. Undefined if there is no such line. Reads a slice or two, and at most 25 if each line has
 * megabytes. Fails as the text fails.
 */
export async function contextLines(text: SlicedText, line: number, column: number): Promise<ContextLines | undefined> {
  if (line < 1 || line > text.lineCount) return undefined;
  const first = Math.max(line - linesAround, 1);
  const ends = await text.lineEnds(first - 1, Math.min(line + linesAround, text.lineCount));
  const lines: string[] = [];
  for (const [n, { end }] of ends.slice(1).entries()) {
    const wanted = first + n === line ? column - 1 - lineLength / 2 : 0;
    lines.push(await cut(text, { start: nextOf(ends[n]), end }, wanted));
  }
  const at = line - first;
  return { before: lines.slice(0, at), line: lines[at] ?? "", after: lines.slice(at + 1) };
}

const nextOf = (end: LineEnd | undefined): number => end?.next ?? 0;

/** The part of a line that fits, from about the wanted column on, with a mark on each side that is cut. */
async function cut(
  text: SlicedText,
  line: { readonly start: number; readonly end: number },
  wanted: number,
): Promise<string> {
  const length = line.end - line.start;
  if (length <= lineLength) return text.between(line.start, line.end);
  const start = Math.max(Math.min(Math.floor(wanted), length - lineLength), 0);
  const end = start + lineLength;
  const isCutBefore = start > 0;
  const isCutAfter = end < length;
  const kept = await text.between(
    line.start + start + (isCutBefore ? mark.length : 0),
    line.start + end - (isCutAfter ? mark.length : 0),
  );
  return `${isCutBefore ? mark : ""}${whole(kept)}${isCutAfter ? mark : ""}`;
}

/** Without the halves of characters at its ends. */
function whole(text: string): string {
  return text.replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, "");
}

/** A slice of a text: its number, and where its bytes are. */
export interface Slice {
  readonly number: number;
  readonly offset: number;
  readonly length: number;
}

/** Where a line ends and the next one begins, in UTF-16 units from the start of the text. */
interface LineEnd {
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

  /** The ends of lines, in their order; 0 is the start of the text, and the last end is the end of the text. */
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
