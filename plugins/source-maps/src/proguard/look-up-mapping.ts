import type { RangeReader } from "../mapping/look-up.ts";
import { headBytes, indexVersion, magic, type Block, type Directory } from "./mapping-index.ts";
import { methodKey, type ClassRecord, type MethodRange } from "./records.ts";

/** The records of a mapping that some frames need. */
export interface MappingRecords {
  /** By the obfuscated name. */
  classOf(name: string): ClassRecord | undefined;
  rangesOf(className: string, method: string): readonly MethodRange[] | undefined;
}

/** An obfuscated class, and a method of it. */
export interface ObfuscatedName {
  readonly className: string;
  readonly method?: string;
}

/** Reads the records of names from an index, each block once and one after the other. Fails as the reader fails, or when the index is damaged. */
export async function lookUpMapping(index: RangeReader, names: readonly ObfuscatedName[]): Promise<MappingRecords> {
  const wanted = new Set<string>();
  for (const { className, method } of names) {
    wanted.add(className);
    if (method !== undefined) wanted.add(methodKey(className, method));
  }
  const { directory, blocksAt } = await readDirectory(index);
  const blocks = new Set([...wanted].map((key) => blockOf(directory, key)).filter((block) => block >= 0));
  const found = new Map<string, unknown>();
  for (const block of blocks) {
    const [, start = 0] = directory[block] ?? [];
    const end = directory[block + 1]?.[1] ?? index.size - blocksAt;
    for (const [key, record] of (await readJson(index, blocksAt + start, end - start)) as Block)
      if (wanted.has(key)) found.set(key, record);
  }
  return {
    classOf: (name) => found.get(name) as ClassRecord | undefined, // as the index was written
    rangesOf: (className, method) => found.get(methodKey(className, method)) as readonly MethodRange[] | undefined,
  };
}

async function readDirectory(index: RangeReader): Promise<{ directory: Directory; blocksAt: number }> {
  const bytes = await index.read(0, headBytes);
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (head.length < headBytes || head.toString("latin1", 0, magic.length) !== magic)
    throw new Error("This is not the index of a mapping.");
  const [version, length, blocksLength] = [0, 1, 2].map((place) => head.readUInt32LE(magic.length + place * 4));
  if (version !== indexVersion)
    throw new Error(`The index of a mapping has version ${version}, this program reads ${indexVersion}.`);
  const blocksAt = headBytes + (length ?? 0);
  if (blocksAt + (blocksLength ?? 0) !== index.size) throw new Error("The index of a mapping is cut off.");
  return { directory: (await readJson(index, headBytes, length ?? 0)) as Directory, blocksAt };
}

async function readJson(index: RangeReader, offset: number, length: number): Promise<unknown> {
  const bytes = await index.read(offset, length);
  return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString());
}

/** The only block that may have a key: the last that does not begin behind it; -1: all do. */
function blockOf(directory: Directory, key: string): number {
  let low = 0;
  let high = directory.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((directory[middle]?.[0] ?? "") <= key) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
