import type { EventBudget } from "../events/reading.ts";
import type { RangeReader } from "../mapping/look-up.ts";
import { headBytes, indexVersion, magic, type Block, type Directory } from "./mapping-index.ts";
import { methodKey, type ClassRecord, type MethodRange } from "./read-mapping.ts";

/** The records of a mapping that some frames need. */
export interface MappingRecords {
  /** By the obfuscated name. */
  classOf(name: string): ClassRecord | undefined;
  rangesOf(className: string, method: string): readonly MethodRange[] | undefined;
  /** Whether the records of a class were not read, because the event had no room for them. */
  isBeyondBudget(className: string): boolean;
}

/** An obfuscated class, and a method of it. */
export interface ObfuscatedName {
  readonly className: string;
  readonly method?: string;
}

/**
 * Reads the records of names from an index, each block once and one after the other, as long as the budget has room: those of the first
 * names first. Fails as the reader fails, with `callerLeft()`, or when the index is damaged.
 */
export async function lookUpMapping(
  index: RangeReader,
  names: readonly ObfuscatedName[],
  budget: EventBudget,
): Promise<MappingRecords> {
  const wanted = new Set(names.flatMap(keysOf));
  const { directory, blocksAt } = await readDirectory(index, budget);
  const found = new Map<string, unknown>();
  const beyond = new Set(directory ? [] : names.map(({ className }) => className));
  const read = new Set([-1]);
  for (const name of directory ? names : []) {
    for (const block of keysOf(name).map((key) => blockOf(directory ?? [], key))) {
      if (read.has(block)) continue;
      await budget.next();
      const [, start = 0] = directory?.[block] ?? [];
      const end = directory?.[block + 1]?.[1] ?? index.size - blocksAt;
      if (!budget.takes(end - start)) {
        beyond.add(name.className);
        continue;
      }
      read.add(block);
      for (const [key, record] of (await readJson(index, blocksAt + start, end - start)) as Block)
        if (wanted.has(key)) found.set(key, record);
    }
  }
  return {
    // As the index was written.
    classOf: (name) => (beyond.has(name) ? undefined : (found.get(name) as ClassRecord | undefined)),
    rangesOf: (className, method) => found.get(methodKey(className, method)) as readonly MethodRange[] | undefined,
    isBeyondBudget: (className) => beyond.has(className),
  };
}

const keysOf = ({ className, method }: ObfuscatedName): string[] =>
  method === undefined ? [className] : [className, methodKey(className, method)];

/** No directory: the budget has no room for it. */
async function readDirectory(
  index: RangeReader,
  budget: EventBudget,
): Promise<{ directory: Directory | undefined; blocksAt: number }> {
  const bytes = await index.read(0, headBytes);
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (head.length < headBytes || head.toString("latin1", 0, magic.length) !== magic)
    throw new Error("This is not the index of a mapping.");
  const [version, length = 0, blocksLength = 0] = [0, 1, 2].map((place) => head.readUInt32LE(magic.length + place * 4));
  if (version !== indexVersion)
    throw new Error(`The index of a mapping has version ${version}, this program reads ${indexVersion}.`);
  const blocksAt = headBytes + length;
  if (blocksAt + blocksLength !== index.size) throw new Error("The index of a mapping is cut off.");
  if (!budget.takes(length)) return { directory: undefined, blocksAt };
  return { directory: (await readJson(index, headBytes, length)) as Directory, blocksAt };
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
