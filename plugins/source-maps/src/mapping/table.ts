/**
 * The layout of an index, all numbers little-endian: a head, the directories of both tables, their blocks, the texts. So a
 * search reads the head, the directories, a block of each table and a text of each: at most 6 reads in 4 rounds.
 */
export interface IndexHead {
  /** The segments of the map: line, column, source + 1, original line, original column, name. */
  readonly segments: TablePlace;
  /** From where on which function's name holds: line, column, name. */
  readonly functions: TablePlace;
  /** Where the directories begin. They are side by side, the directory of the segments first. */
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
  const index = new Uint8Array(length); // with a separate buffer, so that a thread can hand it over
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

/** Fails if the bytes are not an index of this version, or do not have the length in their head: storage damaged them. */
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

/**
 * A table of rows that are sorted by a generated position (line, then column), written for being searched by range: a directory,
 * which has the first position of each block, and the blocks. A block holds its rows as columns, each with the smallest number
 * of the column and just the bytes that its differences need. In a minified file of one line the line takes none, a row of a real
 * map with names 9 to 10 bytes instead of 24, and a search reads one block of at most 24 KiB.
 */
interface Table {
  readonly rowCount: number;
  readonly directory: Buffer;
  readonly blocksLength: number;
  readonly plan: readonly ColumnPlan[];
}

/** Rows of a block: 8 million make a directory of 94 KiB. */
const rowsPerBlock = 1024;

/** First line, first column, offset of the block: 32 bits each. */
const directoryEntryBytes = 12;

/** Before the values of a block's column: its smallest number (32 bits), and the bytes of a difference (0 to 4). */
const columnHeadBytes = 5;

function directoryBytes(rowCount: number): number {
  return Math.ceil(rowCount / rowsPerBlock) * directoryEntryBytes;
}

/** Plans the table of rows that begin with line and column, strictly ascending. */
export function planTable(rowCount: number, columns: readonly Uint32Array[]): Table {
  const directory = Buffer.alloc(directoryBytes(rowCount));
  const [lines, firstColumns] = columns;
  const plan: ColumnPlan[] = [];
  let blocksLength = 0;
  for (let start = 0, entry = 0; start < rowCount; start += rowsPerBlock, entry += directoryEntryBytes) {
    const end = Math.min(start + rowsPerBlock, rowCount);
    directory.writeUInt32LE(lines?.[start] ?? 0, entry);
    directory.writeUInt32LE(firstColumns?.[start] ?? 0, entry + 4);
    directory.writeUInt32LE(blocksLength, entry + 8);
    for (const column of columns) {
      const planned = planColumn(column.subarray(start, end));
      blocksLength += columnHeadBytes + planned.values.length * planned.width;
      plan.push(planned);
    }
  }
  return { rowCount, directory, blocksLength, plan };
}

/** Writes the blocks; returns where they end. */
function writeBlocks({ plan }: Table, into: Buffer, start: number): number {
  let at = start;
  for (const column of plan) at = writeColumn(into, at, column);
  return at;
}

/** A column of a block. */
interface ColumnPlan {
  readonly values: Uint32Array;
  readonly smallest: number;
  readonly width: number;
}

function planColumn(values: Uint32Array): ColumnPlan {
  let smallest = 2 ** 32;
  let largest = 0;
  for (const value of values) {
    if (value < smallest) smallest = value;
    if (value > largest) largest = value;
  }
  return { values, smallest, width: bytesFor(largest - smallest) };
}

function bytesFor(difference: number): number {
  return difference === 0 ? 0 : Math.ceil((32 - Math.clz32(difference)) / 8);
}

function writeColumn(into: Buffer, start: number, { values, smallest, width }: ColumnPlan): number {
  into.writeUInt32LE(smallest, start);
  into[start + 4] = width;
  let at = start + columnHeadBytes;
  if (width === 0) return at;
  for (const value of values) {
    let rest = value - smallest;
    for (let byte = 0; byte < width; byte++) {
      into[at++] = rest & 255;
      rest >>>= 8;
    }
  }
  return at;
}

/** A block that may hold a position. */
interface Block {
  readonly start: number;
  readonly end: number;
  readonly rowCount: number;
}

/** The only block in which the greatest row at or before the position can be; undefined if all rows are behind it. */
export function findBlock(
  directory: Buffer,
  { rowCount, blocksLength }: { readonly rowCount: number; readonly blocksLength: number },
  line: number,
  column: number,
): Block | undefined {
  const offsetOf = (index: number) => directory.readUInt32LE(index * directoryEntryBytes + 8);
  const count = directory.length / directoryEntryBytes;
  const index = lastAtOrBefore(
    count,
    (one) =>
      directory.readUInt32LE(one * directoryEntryBytes) - line ||
      directory.readUInt32LE(one * directoryEntryBytes + 4) - column,
  );
  if (index === -1) return undefined;
  const isLast = index === count - 1;
  return {
    start: offsetOf(index),
    end: isLast ? blocksLength : offsetOf(index + 1),
    rowCount: isLast ? rowCount - index * rowsPerBlock : rowsPerBlock,
  };
}

/** The values of the greatest row at or before the position, line and column among them. */
export function findRow(
  block: Buffer,
  { rowCount }: Block,
  line: number,
  column: number,
): readonly number[] | undefined {
  const columns: ((row: number) => number)[] = [];
  for (let at = 0; at < block.length;) {
    const values = at + columnHeadBytes;
    const smallest = block.readUInt32LE(at);
    const width = block[at + 4] ?? 0;
    columns.push((row) => smallest + (width === 0 ? 0 : block.readUIntLE(values + row * width, width)));
    at = values + rowCount * width;
  }
  const [lineOf, columnOf] = columns;
  if (!lineOf || !columnOf) return undefined;
  const row = lastAtOrBefore(rowCount, (one) => lineOf(one) - line || columnOf(one) - column);
  return row === -1 ? undefined : columns.map((valueOf) => valueOf(row));
}

/** The last of sorted rows that is not behind what is searched, as `compare` says; -1: all are. */
function lastAtOrBefore(count: number, compare: (index: number) => number): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compare(middle) <= 0) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** The most bytes of a text; longer ones are cut. So one read of the index fetches any of them. */
const maxTextBytes = 1000;

/** The bytes before a text: its length. */
const prefixBytes = 2;

/** The bytes to read of the index for a text, because the length of the text is not known. */
export const textReadBytes = prefixBytes + maxTextBytes;

/** The texts of an index, each behind its length and found by its offset. The offset 0 means no text. */
export class Texts {
  #bytes = Buffer.alloc(1 << 16);
  #length = 1;

  get length(): number {
    return this.#length;
  }

  /** Appends the text in UTF-8; returns its offset. An empty text counts as no text. */
  add(text: Uint8Array): number {
    const kept = text.length > maxTextBytes ? cut(text) : text;
    if (kept.length === 0) return 0;
    const offset = this.#length;
    this.#length += prefixBytes + kept.length;
    if (this.#length > this.#bytes.length) {
      this.#bytes = Buffer.concat([this.#bytes], Math.max(this.#length, this.#bytes.length * 2));
    }
    this.#bytes.writeUInt16LE(kept.length, offset);
    this.#bytes.set(kept, offset + prefixBytes);
    return offset;
  }

  at(offset: number): string | undefined {
    return offset === 0 ? undefined : textIn(this.#bytes.subarray(offset));
  }

  bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }
}

/** The text that begins there. */
export function textIn(bytes: Buffer): string {
  return bytes.toString("utf8", prefixBytes, prefixBytes + bytes.readUInt16LE(0));
}

/** Ends before a character that would be cut. */
function cut(text: Uint8Array): Uint8Array {
  let end = maxTextBytes;
  while (end > 0 && ((text[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return text.subarray(0, end);
}
