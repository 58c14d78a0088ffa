import { lineIndexOf } from "./lines/line-index.ts";
import { writeIndex, planTable } from "./table.ts";
import { mapLimits, type MapLimits } from "./map-limits.ts";
import { readMap, type ReadMap, type Source } from "./reading/read-map.ts";
import { readScopes, type Scopes } from "./scopes.ts";
import { nameAt } from "./names/function-map.ts";

/** A source with the index of its lines; none if it has one slice, or no text. */
export interface CompiledSource extends Source {
  readonly lines?: Uint8Array<ArrayBuffer>;
}

/** The kept part of a map. */
export interface CompiledMap {
  /** For lookUp. */
  readonly index: Uint8Array<ArrayBuffer>;
  readonly sources: readonly CompiledSource[];
  /** Whether the index has the names of functions: the minified text was given and could be parsed. */
  readonly hasNames: boolean;
}

/** A map and the file it belongs to. */
export interface MapToCompile {
  /** The JSON text of the map. */
  readonly map: Uint8Array;
  readonly minified?: string;
}

/**
 * Compiles a source map or an index map (ECMA-426) into an index and its sources. Synchronous and without side effects; a thread
 * of its own runs it. A map of 3 million segments and 60,000 names (18 MB of mappings, 28 MB of sources) takes 1 s of a core, 2 s
 * next to other work, and makes 8.7 bytes of index a segment; meanwhile the segments hold 72 MB outside of the heap, which grows by 50.
 * TypeScript's compiler, minified to 3.5 MB by Vite 8 (680,000 segments), takes 0.7 s, and at most 3.3 s more for its names.
 * Throws a MapError. A fault in the minified text loses only the names of functions.
 */
export function compileMap({ map, minified }: MapToCompile, limits: MapLimits = mapLimits): CompiledMap {
  return compileRead(readMap(map, limits), minified, limits);
}

/** The second half of compileMap, which no longer needs the bytes of the map. */
export function compileRead(read: ReadMap, minified: string | undefined, limits: MapLimits = mapLimits): CompiledMap {
  const { sources, segments, texts } = read;
  const scopes = mappedScopes(read) ?? (minified === undefined ? undefined : readScopes(minified, read, limits));
  const index = writeIndex(
    planTable(segments.length, segments.columns),
    planTable(scopes?.length ?? 0, scopes?.columns ?? []),
    texts.bytes(),
  );
  return { index, sources: sources.map(withLines), hasNames: scopes !== undefined };
}

function withLines(source: Source): CompiledSource {
  const lines = lineIndexOf(source.content);
  return lines ? { ...source, lines } : source;
}

/**
 * The names of the functions of a map that holds them itself. The script of Hermes is bytecode, which cannot be parsed; symbolic takes
 * these names of other scripts of Metro too. Undefined if the map has none.
 */
function mappedScopes({ segments, functionMaps }: ReadMap): Scopes | undefined {
  if (functionMaps.size === 0) return undefined;
  const [lines, columns, sources, originalLines, originalColumns] = segments.columns;
  const from = [
    new Uint32Array(segments.length),
    new Uint32Array(segments.length),
    new Uint32Array(segments.length),
  ] as const;
  let length = 0;
  let last = 0;
  for (let index = 0; index < segments.length; index++) {
    const map = functionMaps.get((sources[index] ?? 0) - 1);
    const name = map ? nameAt(map, originalLines[index] ?? 0, originalColumns[index] ?? 0) : 0;
    if (name === last) continue;
    last = name;
    from[0][length] = lines[index] ?? 0;
    from[1][length] = columns[index] ?? 0;
    from[2][length] = name;
    length += 1;
  }
  return { length, columns: [from[0].subarray(0, length), from[1].subarray(0, length), from[2].subarray(0, length)] };
}
