import { createHash } from "node:crypto";
import {
  mappingTooLarge,
  type MappingLimits,
  mappingLimits,
  type ReadClass,
  methodKey,
  type MethodRange,
  readMapping,
} from "./read-mapping.ts";

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

/** Characters of a block before the next begins: an index of 100 MB has 3,000, with a directory of 200 KB. */
const blockLength = 32 * 1024;

/** Writes the index of the classes of a mapping. Throws a MapError when it gets too long. */
function writeMappingIndex(classes: ReadonlyMap<string, ReadClass>, limits: MappingLimits): Uint8Array<ArrayBuffer> {
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

/** The records sorted by key: a class, then its methods, because the line end in their keys sorts before any character that continues a name. */
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
  const index = new Uint8Array(headBytes + directory.length + length); // with a separate buffer, so that a thread can hand it over
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

/** A mapping to compile: its text. */
export interface MappingToCompile {
  readonly mapping: Uint8Array;
}

/** The kept part of a mapping. */
export interface CompiledMapping {
  /** For lookUpMapping. */
  readonly index: Uint8Array<ArrayBuffer>;
  /** The UUID that Sentry's tools give it. */
  readonly uuid: string;
  /** Sentences about what may be wrong with it. */
  readonly warnings: readonly string[];
}

/**
 * Compiles a mapping of ProGuard or R8 into an index. Synchronous and without side effects; a separate thread runs it. One of 50 MiB
 * (18,000 classes, 530,000 ranges) takes 2 s and 185 MiB, and makes an index of 41 MiB, which blobs compress; one of 125 MiB
 * takes 7 s and 430 MiB. Throws a MapError.
 */
export function compileMapping({ mapping }: MappingToCompile, limits: MappingLimits = mappingLimits): CompiledMapping {
  if (mapping.length > limits.bytes) {
    throw mappingTooLarge(`has more than ${limits.bytes / 1024 / 1024} MiB`);
  }
  const { classes, warnings } = readMapping(mapping, limits);
  return { index: writeMappingIndex(classes, limits), uuid: mappingUuid(mapping), warnings };
}

/** The UUID of `guardsquare.com` in the namespace of domain names, in which sentry-cli numbers mappings (checked with 3.8.0). */
const namespace = uuid5(Buffer.from("6ba7b8109dad11d180b400c04fd430c8", "hex"), Buffer.from("guardsquare.com"));

/** The UUID of a mapping by its bytes, as sentry-cli computes it: version 5 (RFC 9562, section 5.5). */
function mappingUuid(mapping: Uint8Array): string {
  return uuid5(namespace, mapping)
    .toString("hex")
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

function uuid5(space: Uint8Array, name: Uint8Array): Buffer {
  const bytes = createHash("sha1").update(space).update(name).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes;
}
