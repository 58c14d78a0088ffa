import { mappingTooLarge, type MappingLimits } from "./mapping-limits.ts";
import type { ReadClass } from "./read-mapping.ts";
import { methodKey, type MethodRange } from "./records.ts";

/**
 * The layout of an index: a head, the directory, the blocks. A block is a JSON list of keys and their records, sorted by key; the
 * directory a JSON list of the first key of each block and where it begins. So the record of any key takes three reads, and its
 * block alone is parsed.
 */
export const headBytes = 16;
export const magic = "FLPG";

/** Grows when older indexes cannot be read any more: the mapping must then be uploaded again. */
export const indexVersion = 1;

/** The directory: the first key of each block, and where the block begins, in bytes behind the directory. */
export type Directory = readonly (readonly [firstKey: string, start: number])[];

/** A block: keys with their records, a ClassRecord or a list of MethodRange. */
export type Block = readonly (readonly [key: string, record: unknown])[];

/** Characters of a block before the next begins: an index of 100 MB has 3,000, whose directory takes 200 KB. */
const blockLength = 32 * 1024;

/** Writes the index of the classes of a mapping. Throws a MapError when it gets too long. */
export function writeMappingIndex(
  classes: ReadonlyMap<string, ReadClass>,
  limits: MappingLimits,
): Uint8Array<ArrayBuffer> {
  const blocks: Buffer[] = [];
  const directory: [string, number][] = [];
  let length = 0;
  let records: string[] = [];
  let [firstKey, gathered] = ["", 0];
  const close = () => {
    if (records.length === 0) return;
    const block = Buffer.from(`[${records.join(",")}]`);
    directory.push([firstKey, length]);
    blocks.push(block);
    length += block.length;
    if (length > limits.indexBytes)
      throw mappingTooLarge(`has an index of more than ${limits.indexBytes / 1024 / 1024} MiB`);
    records = [];
    gathered = 0;
  };
  for (const [key, record] of recordsOf(classes)) {
    const text = JSON.stringify([key, record]);
    if (gathered + text.length > blockLength) close();
    if (records.length === 0) firstKey = key;
    records.push(text);
    gathered += text.length;
  }
  close();
  return joined(Buffer.from(JSON.stringify(directory)), blocks, length);
}

/** The records sorted by key: a class, then its methods, as the line end in their keys sorts before what continues a name. */
function* recordsOf(classes: ReadonlyMap<string, ReadClass>): Generator<readonly [string, unknown]> {
  const files = new Map([...classes.values()].map(({ record }) => [record.name, record.file]));
  const withFile = (range: MethodRange): MethodRange => {
    const file = range.holder === undefined ? undefined : files.get(range.holder);
    return file === undefined ? range : { ...range, file };
  };
  for (const [name, { record, methods }] of sorted(classes)) {
    yield [name, record];
    for (const [method, ranges] of sorted(methods)) yield [methodKey(name, method), ranges.map(withFile)];
  }
}

function sorted<Value>(map: ReadonlyMap<string, Value>): (readonly [string, Value])[] {
  return [...map].toSorted(([one], [other]) => (one < other ? -1 : 1));
}

function joined(directory: Buffer, blocks: readonly Buffer[], length: number): Uint8Array<ArrayBuffer> {
  const index = new Uint8Array(headBytes + directory.length + length); // with a buffer of its own, so that a thread can hand it over
  const whole = Buffer.from(index.buffer);
  whole.write(magic, "latin1");
  for (const [place, number] of [indexVersion, directory.length, length].entries())
    whole.writeUInt32LE(number, magic.length + place * 4);
  let at = headBytes;
  for (const part of [directory, ...blocks]) {
    whole.set(part, at);
    at += part.length;
  }
  return index;
}
