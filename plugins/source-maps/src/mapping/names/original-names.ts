import { longestIdentifier } from "../map-limits.ts";
import type { ReadMap } from "../reading/read-map.ts";
import type { Segment, Position } from "../reading/segments.ts";

/** The original names of the identifiers of a minified text. */
export class OriginalNames {
  readonly #map: ReadMap;
  readonly #texts = new Map<number, OriginalText>();

  constructor(map: ReadMap) {
    this.#map = map;
  }

  /**
   * The name of the identifier that begins at the position: from the map, or from the original text, because rolldown
   * (Vite 8) names few of the identifiers that it renames. If the map has nothing at exactly this position, the name at the column
   * before, which symbolic takes too: UglifyJS 2 names a function at the blank behind `function`. Undefined if no identifier is there.
   */
  at(line: number, column: number): string | undefined {
    const { segments } = this.#map;
    const segment = segments.at(line, column);
    if (!segment) return this.named(line, column - 1);
    const name = this.#map.texts.at(segment.name);
    if (name !== undefined) return name;
    const original = this.#originalOf(segment);
    return (original && identifierAt(original.content, original.offset)) ?? this.#namedBefore(segment);
  }

  /** The name that the map itself has at exactly this position. */
  named(line: number, column: number): string | undefined {
    const { segments, texts } = this.#map;
    return texts.at(segments.at(line, column)?.name ?? 0);
  }

  /**
   * The name of the segment before, if it is about the same place of the original text: the Closure Compiler names a function at the
   * word `function`.
   */
  #namedBefore(segment: Segment): string | undefined {
    const before = this.#map.segments.before(segment.line, segment.column);
    const isSame =
      before?.source === segment.source &&
      before.originalLine === segment.originalLine &&
      before.originalColumn === segment.originalColumn;
    return isSame ? this.#map.texts.at(before.name) : undefined;
  }

  /**
   * The name that the original text gives to the function that begins at the position: its own, or the name of the variable it is the
   * value of. Undefined if the map has nothing at exactly this position, or the function has no name of either kind.
   */
  ofFunction(line: number, column: number): string | undefined {
    const segment = this.#map.segments.at(line, column);
    const original = segment && this.#originalOf(segment);
    if (!original) return undefined;
    const { content, offset } = original;
    const before = content.slice(Math.max(offset - longestDeclaration, 0), offset);
    const behind = content.slice(offset, offset + longestDeclaration);
    return (ownName.exec(behind) ?? variable.exec(before))?.[1];
  }

  #originalOf({ source, originalLine, originalColumn }: Segment) {
    const text = this.#texts.get(source) ?? this.#read(source);
    return text && { content: text.content, offset: text.lines.offsetOf(originalLine) + originalColumn };
  }

  #read(source: number): OriginalText | undefined {
    const bytes = this.#map.sources[source - 1]?.content;
    if (bytes === undefined) return undefined;
    const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();
    const text = { content, lines: new LineStarts(content) };
    this.#texts.set(source, text);
    return text;
  }
}

/** The text of a source, and where its lines begin. */
interface OriginalText {
  readonly content: string;
  readonly lines: LineStarts;
}

/** `async function* name`. */
const ownName = /^(?:async\s+)?function\s*\*?\s*([\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*)/u;

/** `const name = async (`; if a minifier drops the parenthesis, the map may be at the parameter. */
const variable = /\b(?:const|let|var)\s+([\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*)\s*=\s*(?:async\s*)?\(?$/u;

/** UTF-16 units before and behind the start of a function in which its name is looked for. */
const longestDeclaration = 200;

const identifier = /^#?[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*/u;

/** Words of ECMA-262 that are not names. A segment at such a word belongs to a statement, such as `export`. */
const reserved = new Set(
  (
    "async await break case catch class const continue debugger default delete do else enum export extends false finally for " +
    "function if import in instanceof let new null return static super switch this throw true try typeof var void while with yield"
  ).split(" "),
);

/** A longer identifier is ignored: each function looks here, and a text may be a single identifier of megabytes. */
export function identifierAt(text: string, offset: number): string | undefined {
  const [name] = identifier.exec(text.slice(offset, offset + longestIdentifier + 1)) ?? [];
  return name === undefined || name.length > longestIdentifier || reserved.has(name) ? undefined : name;
}

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

  /** Where a line begins; behind all texts if there is no such line. */
  offsetOf(line: number): number {
    return this.#starts[line] ?? Infinity;
  }
}
