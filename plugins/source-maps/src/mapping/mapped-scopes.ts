import { nameAt } from "./names/function-map.ts";
import type { ReadMap } from "./reading/read-map.ts";
import type { Scopes } from "./scopes.ts";

/**
 * The names of the functions of a map that holds them itself. The script of Hermes is bytecode, which cannot be parsed; symbolic takes
 * these names of other scripts of Metro too. Undefined: the map has none.
 */
export function mappedScopes({ segments, functionMaps }: ReadMap): Scopes | undefined {
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
