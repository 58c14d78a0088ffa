import type { Log } from "@faultline/plugin";
import { BoundedMap } from "@faultline/plugin/flow";
import type { BlobReader } from "../blobs/blob-reader.ts";
import { contextLines, type ContextLines } from "../mapping/context-lines.ts";
import { lookUp, type Found } from "../mapping/look-up.ts";
import { readSource, type StoredSource } from "../uploads/stored-source.ts";

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
  /** The lines of a source around a position. */
  readonly linesAround: (blobId: number, line: number, column: number) => Promise<ContextLines | undefined>;
}

/** Blobs whose sizes are kept. */
const keptBlobs = 64;

/**
 * Positions that are kept. In maps they take 32 MiB at most, as the name of a source has 4,096 UTF-16 units; in sources 12, as the
 * lines around a position have 1,540.
 */
const keptPositions = 4_000;

export function readingOf({ blobs, log }: { readonly blobs: BlobReader; readonly log: Log }): Reading {
  const open = kept(keptBlobs, (blobId: number) => blobs.open(blobId));
  const find = kept(keptPositions, async (index: number, sources: number, line: number, column: number) => {
    const found = await lookUp(await open(index), { line, column });
    return found && { found, source: await readSource(await open(sources), found.source) };
  });
  return {
    log,
    find: ({ indexBlobId, sourcesBlobId }, line, column) => find(indexBlobId, sourcesBlobId, line, column),
    // A source of 100 kB takes 0.4 ms to be decoded and searched.
    linesAround: kept(keptPositions, async (blobId: number, line: number, column: number) => {
      const { buffer, byteOffset, length } = await blobs.whole(blobId);
      const lines = contextLines(Buffer.from(buffer, byteOffset, length).toString(), line, column);
      return structuredClone(lines); // V8 keeps all of a text for a part of it
    }),
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
