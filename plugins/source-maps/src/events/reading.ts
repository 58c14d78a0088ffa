import { type Host, type Log, callerLeft } from "@faultline/plugin";
import { BoundedMap, LoopSlices } from "@faultline/plugin/flow";
import type { BlobReader, LineIndexes } from "../blobs/read-blobs.ts";
import { contextLines, type ContextLines, SlicedText, type Slice } from "../mapping/lines/context-lines.ts";
import { lookUp, type Found } from "../mapping/look-up.ts";
import { readSource, type StoredSource } from "../uploads/stored-source.ts";

/** The blobs of a map that was compiled. */
interface MapBlobs {
  readonly indexBlobId: number;
  readonly sourcesBlobId: number;
}

/** A map's facts about a position; without a source if the stored list lacks it. */
interface FoundSource {
  readonly found: Found;
  readonly source: StoredSource | undefined;
}

/** Reads stored maps, and keeps what was read last: a page reads the same stack again and again. All fail if a blob is gone. */
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

/** Blobs with a kept size. */
const keptBlobs = 64;

/**
 * Positions that are kept. In maps they take 32 MiB at most, because the name of a source has 4,096 UTF-16 units; in sources 16, because the
 * lines around a position have 1,540, and are in 25 slices.
 */
const keptPositions = 4_000;

/** The readers of stored contents. */
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

/** Reads each value once, as long as it is among the values that were asked for last. */
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

export const mebibyte = 1024 * 1024;

/**
 * Bytes that are read for one event, because the sender chooses the places: of the texts of sources, and of the records of a mapping of
 * ProGuard or R8. An event of 250 frames in a source of 25 MiB takes 0.15 s of a core then; it took 24 s when each frame read all of it.
 */
export const readAtMost = { sources: 4 * mebibyte, mappings: 8 * mebibyte };

export class EventBudget {
  readonly #parts = new Set<string>();
  readonly #slices = new LoopSlices();
  readonly #signal: AbortSignal | undefined;
  #left: number;

  /** `signal`: aborted when nobody waits for the event any more. */
  constructor(bytes: number, signal?: AbortSignal) {
    this.#left = bytes;
    this.#signal = signal;
  }

  /** Between two frames: lets others have the event loop. Fails with `callerLeft()` if the caller left. */
  async next(): Promise<void> {
    await this.#slices.next();
    if (this.#signal?.aborted) throw callerLeft();
  }

  /** Whether a part may be read. It counts once, however often it is asked for. A part without room does not count. */
  admits(part: string, bytes: number): boolean {
    if (this.#parts.has(part)) return true;
    if (!this.takes(bytes)) return false;
    this.#parts.add(part);
    return true;
  }

  /** Whether the bytes may be read. */
  takes(bytes: number): boolean {
    if (bytes > this.#left) return false;
    this.#left -= bytes;
    return true;
  }
}
