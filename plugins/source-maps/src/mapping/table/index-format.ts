import { directoryBytes, writeBlocks, type Table } from "./position-table.ts";

/**
 * The layout of an index, all numbers little-endian: a head, the directories of both tables, their blocks, the texts. So a
 * search reads the head, the directories, a block of each table and a text of each: at most 6 reads in 4 rounds.
 */
export interface IndexHead {
  /** What the map says: line, column, source + 1, original line, original column, name. */
  readonly segments: TablePlace;
  /** From where on which function's name holds: line, column, name. */
  readonly functions: TablePlace;
  /** Where the directories begin, which lie side by side, that of the segments first. */
  readonly directories: number;
  readonly texts: number;
}

export interface TablePlace {
  readonly rowCount: number;
  readonly directoryLength: number;
  readonly blocks: number;
  readonly blocksLength: number;
}

/** Grows when older indexes cannot be read any more: they are then compiled again from the kept maps. */
const indexVersion = 1;

const magic = "FLSM";
export const headBytes = 28;

export function writeIndex(segments: Table, functions: Table, texts: Uint8Array): Uint8Array<ArrayBuffer> {
  const numbers = [
    indexVersion,
    segments.rowCount,
    segments.blocksLength,
    functions.rowCount,
    functions.blocksLength,
    texts.length,
  ];
  const directories = [segments.directory, functions.directory];
  let length = headBytes + segments.blocksLength + functions.blocksLength + texts.length;
  for (const directory of directories) length += directory.length;
  const index = new Uint8Array(length); // with a buffer of its own, so that a thread can hand it over
  const whole = Buffer.from(index.buffer);
  whole.write(magic, "latin1");
  for (const [place, number] of numbers.entries()) whole.writeUInt32LE(number, magic.length + place * 4);
  let at = headBytes;
  for (const directory of directories) {
    whole.set(directory, at);
    at += directory.length;
  }
  for (const table of [segments, functions]) at = writeBlocks(table, whole, at);
  whole.set(texts, at);
  return index;
}

/** Fails on what is no index of this version, or has another length than its head says: it was damaged in storage. */
export function readHead(head: Buffer, size: number): IndexHead {
  if (head.length < headBytes || head.toString("latin1", 0, magic.length) !== magic) {
    throw new Error("This is not the index of a source map.");
  }
  const number = (index: number) => head.readUInt32LE(magic.length + index * 4);
  if (number(0) !== indexVersion) {
    throw new Error(`The index of a source map has version ${number(0)}, this program reads ${indexVersion}.`);
  }
  const directories = headBytes;
  const segments = placeOf(number(1), number(2));
  const functions = placeOf(number(3), number(4));
  const blocks = directories + segments.directoryLength + functions.directoryLength;
  const functionBlocks = blocks + segments.blocksLength;
  const texts = functionBlocks + functions.blocksLength;
  if (texts + number(5) !== size) throw new Error("The index of a source map is cut off.");
  return { segments: { ...segments, blocks }, functions: { ...functions, blocks: functionBlocks }, directories, texts };
}

const placeOf = (rowCount: number, blocksLength: number) => ({
  rowCount,
  directoryLength: directoryBytes(rowCount),
  blocksLength,
});
