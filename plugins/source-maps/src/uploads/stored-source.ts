import { maxNameLength } from "../bundle/bundle-error.ts";
import type { RangeReader } from "../mapping/look-up.ts";

/** A source of a map, as an artifact's list has it. */
export interface StoredSource {
  /** As the map names it, up to 4,096 UTF-16 units. */
  readonly name: string;
  /** Whether the map's `ignoreList` has it. */
  readonly isIgnored: boolean;
  /** Its text; null if the map lacks it. */
  readonly blobId: number | null;
}

/** Bytes of an offset: 32 bits, little-endian. */
const offsetBytes = 4;

/**
 * A list of sources: where each begins and where the last one ends, then each as JSON. So a frame reads its own of 100,000, and no list
 * has to stay in memory.
 */
export function writeSources(sources: readonly StoredSource[]): Uint8Array {
  const entries = sources.map(({ name, ...rest }) =>
    Buffer.from(JSON.stringify({ name: name.slice(0, maxNameLength), ...rest } satisfies StoredSource)),
  );
  const offsets = Buffer.alloc((entries.length + 1) * offsetBytes);
  let at = offsets.length;
  for (const [n, { length }] of entries.entries()) {
    offsets.writeUInt32LE(at, n * offsetBytes);
    at += length;
  }
  offsets.writeUInt32LE(at, entries.length * offsetBytes);
  return Buffer.concat([offsets, ...entries]);
}

/** Undefined if the list has no such source. Fails as the reader fails. */
export async function readSource(list: RangeReader, index: number): Promise<StoredSource | undefined> {
  const offsetAt = async (n: number) => {
    const bytes = await list.read(n * offsetBytes, offsetBytes);
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).readUInt32LE();
  };
  if ((index + 2) * offsetBytes > (await offsetAt(0))) return undefined;
  const [start, end] = [await offsetAt(index), await offsetAt(index + 1)];
  const entry = await list.read(start, end - start);
  return JSON.parse(Buffer.from(entry.buffer, entry.byteOffset, entry.length).toString()) as StoredSource; // as it was written
}
