import {
  headBytes,
  readHead,
  type IndexHead,
  type TablePlace,
  findBlock,
  findRow,
  textIn,
  textReadBytes,
} from "./table.ts";

/** The bytes of an index wherever they are stored. */
export interface RangeReader {
  /** The bytes of the whole index. */
  readonly size: number;
  /** These bytes, all of them. Stored pages should be kept for the next read: a stack asks for the same ones. */
  read(offset: number, length: number): Promise<Uint8Array>;
}

/** A position as in a frame of an event: line and column begin at 1, columns are UTF-16 units. */
interface FramePosition {
  readonly line: number;
  readonly column: number;
}

/** A map's facts about a position. */
export interface Found {
  /** The index of the source in the compiled map. */
  readonly source: number;
  /** The original line, from 1. */
  readonly line: number;
  /** The original column in UTF-16 units, from 1. */
  readonly column: number;
  /** The original name of the token at the position, often the name of the function it calls. See betterName. */
  readonly name?: string;
  /** The name of the function around the position; undefined outside of functions, without a name, or if names are not known. */
  readonly functionName?: string;
}

/**
 * Looks up a position: the greatest segment at or before it on the same line, as symbolicator and trace-mapping
 * look it up (the text of ECMA-426 would reach back to earlier lines). Nothing before the first segment of a line, behind the
 * last line, and if the map says that the text has no source. At most 6 reads, whatever the size of the map; fails as the
 * reader fails, or when the index is damaged.
 */
export async function lookUp(index: RangeReader, { line, column }: FramePosition): Promise<Found | undefined> {
  const at = { line: line - 1, column: Math.max(column - 1, 0) };
  const head = readHead(await read(index, 0, headBytes), index.size);
  const { segments, functions } = head;
  const directories = await read(index, head.directories, segments.directoryLength + functions.directoryLength);
  const [segment, scope] = await Promise.all([
    rowAt(index, segments, directories.subarray(0, segments.directoryLength), at),
    rowAt(index, functions, directories.subarray(segments.directoryLength), at),
  ]);
  if (!segment) return undefined;
  const [segmentLine, , source = 0, originalLine = 0, originalColumn = 0, nameAt = 0] = segment;
  if (segmentLine !== at.line || source === 0) return undefined;
  const [name, functionName] = await Promise.all([textAt(index, head, nameAt), textAt(index, head, scope?.[2] ?? 0)]);
  return {
    source: source - 1,
    line: originalLine + 1,
    column: originalColumn + 1,
    ...(name !== undefined && { name }),
    ...(functionName !== undefined && { functionName }),
  };
}

async function rowAt(index: RangeReader, table: TablePlace, directory: Buffer, { line, column }: FramePosition) {
  const block = findBlock(directory, table, line, column);
  if (!block) return undefined;
  const bytes = await read(index, table.blocks + block.start, block.end - block.start);
  return findRow(bytes, block, line, column);
}

async function textAt(index: RangeReader, { texts }: IndexHead, offset: number): Promise<string | undefined> {
  if (offset === 0) return undefined;
  const start = texts + offset;
  return textIn(await read(index, start, Math.min(textReadBytes, index.size - start)));
}

async function read(index: RangeReader, offset: number, length: number): Promise<Buffer> {
  if (length === 0) return Buffer.alloc(0);
  const bytes = await index.read(offset, length);
  if (bytes.length !== length)
    throw new Error(`The index of a source map is cut off at byte ${offset + bytes.length}.`);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}

/**
 * A function's name for people: its own, unless that says nothing, like the names of webpack's machinery; then the name by which the caller's
 * frame calls it (the name of the token there, which for an anonymous callback may be the best there is).
 */
export function betterName(own: string | undefined, callerToken: string | undefined): string | undefined {
  return isUseful(own) || !isUseful(callerToken) ? own : callerToken;
}

/**
 * The map's name of the function around a place. dart2js moves the body of an asynchronous function into one that it calls
 * `$async$...`; the name of the token at the place is then the name of the function in the source, as symbolicator takes it.
 */
export function mappedName({ name, functionName }: Pick<Found, "name" | "functionName">): string | undefined {
  const isMoved = functionName !== undefined && /(?:^|\.)\$async\$/.test(functionName);
  return isMoved ? (name ?? functionName) : functionName;
}

/** The list of symbolicator, and the words of browsers and SDKs for a function without a name. */
const useless = new Set([
  "",
  "?",
  "<anonymous>",
  "<unknown>",
  "anonymous",
  "__webpack_require__",
  "__webpack_modules__",
]);

const isUseful = (name: string | undefined) => name !== undefined && !useless.has(name);
