import { readFileSync } from "node:fs";
import { SourceMap, type SourceMapPayload } from "node:module";
import { dirname, join } from "node:path";
import { installation } from "../../installation.ts";

/** A place in a file; line and column begin at 1. */
export interface Place {
  readonly path: string;
  readonly line: number;
  readonly column: number;
}

const bundle = join(installation, "backend/build/");

/**
 * Finds the source of bundled code by the source maps of the bundle. Each map is read when a place in its file is asked
 * for, and kept as long as this object: Node's own reading of them at the start takes 16 MiB.
 */
export class SourcePlaces {
  readonly #maps = new Map<string, SourceMap | undefined>();

  /** Returns the place in the source; the same place when the file is not of the bundle or has no map. */
  of(place: Place): Place {
    if (!place.path.startsWith(bundle)) return place;
    const origin = this.#mapOf(place.path)?.findOrigin(place.line, place.column);
    if (!origin || !("fileName" in origin)) return place;
    return {
      path: join(dirname(place.path), origin.fileName),
      line: origin.lineNumber,
      column: origin.columnNumber,
    };
  }

  #mapOf(path: string): SourceMap | undefined {
    if (!this.#maps.has(path)) this.#maps.set(path, readMap(`${path}.map`));
    return this.#maps.get(path);
  }
}

function readMap(path: string): SourceMap | undefined {
  try {
    return new SourceMap(JSON.parse(readFileSync(path, "utf8")) as SourceMapPayload);
  } catch {
    return undefined; // removed or unreadable: the place in the bundle is shown
  }
}
