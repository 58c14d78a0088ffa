/**
 * A table of rows that are sorted by a generated position (line, then column), written for being searched by range: a directory,
 * which has the first position of each block, and the blocks. A block holds its rows as columns, each with the smallest number
 * of the column and just the bytes that its differences need. In a minified file of one line the line takes none, a row of a real
 * map with names 9 to 10 bytes instead of 24, and a search reads one block of at most 24 KiB.
 */
export interface Table {
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

export function directoryBytes(rowCount: number): number {
  return Math.ceil(rowCount / rowsPerBlock) * directoryEntryBytes;
}

/** Plans the table of rows whose first two columns are line and column, strictly ascending. */
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
export function writeBlocks({ plan }: Table, into: Buffer, start: number): number {
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
export interface Block {
  readonly start: number;
  readonly end: number;
  readonly rowCount: number;
}

/** The only block in which the greatest row at or before the position can lie; none when all rows are behind it. */
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
