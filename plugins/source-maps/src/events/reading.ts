import type { Host, Log } from "@faultline/plugin";
import { BoundedMap } from "@faultline/plugin/flow";
import type { BlobReader } from "../blobs/blob-reader.ts";
import type { LineIndexes } from "../blobs/line-indexes.ts";
import { contextLines, type ContextLines } from "../mapping/lines/context-lines.ts";
import { SlicedText, type Slice } from "../mapping/lines/sliced-text.ts";
import { lookUp, type Found } from "../mapping/look-up.ts";
import { readSource, type StoredSource } from "../uploads/stored-source.ts";
import type { EventBudget } from "./event-budget.ts";

/** The blobs of a map that was compiled. */
export interface MapBlobs {
  readonly indexBlobId: number;
  readonly sourcesBlobId: number;
}

/** What a map says about a position; no source where the stored list lacks it. */
export interface FoundSource {
  readonly found: Found;
  readonly source: StoredSource | undefined;
}

/** Reads stored maps, and keeps what was read last: a page reads the same stack again and again. All fail where a blob is gone. */
export interface Reading {
  readonly log: Log;
  /** Line and column begin at 1. */
  readonly find: (map: MapBlobs, line: number, column: number) => Promise<FoundSource | undefined>;
  /** The lines of a source around a position; "beyond budget": the event has no room for them. */
  readonly linesAround: (
    place: { readonly blobId: number; readonly line: number; readonly column: number },
    budget: EventBudget,
  ) => Promise<ContextLines | "beyond budget" | undefined>;
}

/** Blobs whose sizes are kept. */
const keptBlobs = 64;

/**
 * Positions that are kept. In maps they take 32 MiB at most, as the name of a source has 4,096 UTF-16 units; in sources 16, as the
 * lines around a position have 1,540, and lie in 25 slices.
 */
const keptPositions = 4_000;

/** What reads stored contents. */
export interface Stored {
  readonly host: Host;
  readonly blobs: BlobReader;
  readonly lines: LineIndexes;
}

export function readingOf({ host: { log }, blobs, lines }: Stored): Reading {
  const open = kept(keptBlobs, (blobId: number) => blobs.open(blobId));
  const find = kept(keptPositions, async (index: number, sources: number, line: number, column: number) => {
    const found = await lookUp(await open(index), { line, column });
    return found && { found, source: await readSource(await open(sources), found.source) };
  });
  return {
    log,
    find: ({ indexBlobId, sourcesBlobId }, line, column) => find(indexBlobId, sourcesBlobId, line, column),
    linesAround: linesReader(lines),
  };
}

/** Lines that were read, and the slices that they took: they count for each event alike, so that it looks the same each time. */
interface ReadLines {
  readonly lines: ContextLines | undefined;
  readonly slices: readonly Slice[];
}

class BeyondBudget extends Error {}

/** A position takes one or two slices of 64 KiB, and 0.3 ms of the event loop each. */
function linesReader(indexes: LineIndexes): Reading["linesAround"] {
  const known = new BoundedMap<string, ReadLines>(keptPositions);
  return async ({ blobId, line, column }, budget) => {
    const admit = ({ number, length }: Slice) => {
      if (!budget.admits(`${blobId}/${number}`, length)) throw new BeyondBudget();
    };
    const read = async (): Promise<ReadLines> => {
      const { reader, index } = await indexes.open(blobId);
      const slices: Slice[] = [];
      const text = new SlicedText(index, (slice) => {
        admit(slice);
        slices.push(slice);
        return reader.read(slice.offset, slice.length);
      });
      const lines = await contextLines(text, line, column);
      return { lines: structuredClone(lines), slices }; // V8 keeps all of a text for a part of it
    };
    const key = `${blobId}:${line}:${column}`;
    try {
      const there = known.get(key);
      there?.slices.forEach(admit);
      const result = there ?? (await read());
      known.set(key, result);
      return result.lines;
    } catch (error) {
      if (error instanceof BeyondBudget) return "beyond budget";
      throw error;
    }
  };
}

/** Reads what is asked for once, as long as it is among so many that were asked for last. */
function kept<T, Key extends readonly number[]>(
  most: number,
  read: (...key: Key) => Promise<T>,
): (...key: Key) => Promise<T> {
  const known = new BoundedMap<string, Promise<T>>(most);
  return (...key) => {
    const name = key.join(":");
    const found = known.get(name) ?? read(...key);
    known.set(name, found);
    found.catch(() => known.delete(name)); // it is read again; the caller has the error
    return found;
  };
}
