import { LineStarts } from "./line-starts.ts";
import type { ReadMap } from "../reading/read-map.ts";

/** The original names of the identifiers of a minified text. */
export class OriginalNames {
  readonly #map: ReadMap;
  readonly #lines = new Map<number, LineStarts>();

  constructor(map: ReadMap) {
    this.#map = map;
  }

  /**
   * The name of the identifier that begins at the position: that of the map, or the one that the original text has there, as rolldown
   * (Vite 8) names few of the identifiers that it renames. Undefined: the map has nothing at exactly this position, or no
   * identifier is there.
   */
  at(line: number, column: number): string | undefined {
    const { segments, sources, texts } = this.#map;
    const segment = segments.at(line, column);
    if (!segment) return undefined;
    const name = texts.at(segment.name);
    if (name !== undefined || segment.source === 0) return name;
    const content = sources[segment.source - 1]?.content;
    if (content === undefined) return undefined;
    const lines = this.#linesOf(segment.source, content);
    return identifierAt(content, lines.offsetOf(segment.originalLine) + segment.originalColumn);
  }

  #linesOf(source: number, content: string): LineStarts {
    const known = this.#lines.get(source);
    if (known) return known;
    const lines = new LineStarts(content);
    this.#lines.set(source, lines);
    return lines;
  }
}

const identifier = /#?[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*/uy;

/** Words of ECMA-262 that are no names. A segment at them is one of a statement, such as `export`. */
const reserved = new Set(
  (
    "async await break case catch class const continue debugger default delete do else enum export extends false finally for " +
    "function if import in instanceof let new null return static super switch this throw true try typeof var void while with yield"
  ).split(" "),
);

function identifierAt(text: string, offset: number): string | undefined {
  identifier.lastIndex = offset;
  const name = identifier.exec(text)?.[0];
  return name === undefined || reserved.has(name) ? undefined : name;
}
