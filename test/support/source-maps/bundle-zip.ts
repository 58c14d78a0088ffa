import { crc32, deflateRawSync } from "node:zlib";

/** An entry of a zip for tests. The fields below `content` override what is written. */
export interface TestEntry {
  readonly name: string;
  readonly content: string | Buffer;
  /** The compression method. Default: deflate. */
  readonly method?: number;
  /** The bytes in place of the content. */
  readonly data?: Buffer;
  readonly flags?: number;
  readonly crc?: number;
  readonly bytes?: number;
  readonly compressedBytes?: number;
  /** The offset of the local header. */
  readonly offset?: number;
  /** Whether the sizes and the offset are in the extra field of zip64. */
  readonly isZip64?: boolean;
}

/** The header in front of the zip of a bundle. */
export const sysb = (version = 2): Buffer => {
  const start = Buffer.from("SYSB\0\0\0\0", "latin1");
  start.writeUInt32LE(version, 4);
  return start;
};

/**
 * A zip after `start`, with offsets from the beginning of `start`. With `isZip64`, the end record has the form of
 * zip64.
 */
export function zipOf(
  entries: readonly TestEntry[],
  { start = sysb(), isZip64 = false, count = entries.length } = {},
): Buffer {
  const pieces: Buffer[] = [start];
  let at = start.length;
  const push = (...some: Buffer[]) => {
    for (const piece of some) at += piece.length;
    pieces.push(...some);
  };
  const directory = entries.map((entry) => {
    const offset = at;
    const content = Buffer.from(entry.content);
    const method = entry.method ?? 8;
    const data = entry.data ?? (method === 8 ? deflateRawSync(content) : content);
    push(localHeader(entry, method), Buffer.from(entry.name), data);
    return directoryEntry({
      offset,
      bytes: content.length,
      compressedBytes: data.length,
      crc: crc32(content),
      ...entry,
      method,
    });
  });
  const directoryStart = at;
  push(...directory);
  const size = at - directoryStart;
  if (isZip64) push(...zip64End({ at, count, size, directoryStart }));
  push(
    endRecord(
      isZip64 ? { count: 0xffff, size: 0xffffffff, directoryStart: 0xffffffff } : { count, size, directoryStart },
    ),
  );
  return Buffer.concat(pieces);
}

/** A zip of files and a manifest that lists them all. */
export function bundleOf(files: readonly TestEntry[], manifest: object = {}, options: { start?: Buffer } = {}): Buffer {
  const listed = Object.fromEntries(files.map(({ name }) => [name, { url: `~/${name}`, type: "minified_source" }]));
  const content = JSON.stringify({ org: "acme", project: "web", files: listed, ...manifest });
  return zipOf([...files, { name: "manifest.json", content }], options);
}

function localHeader(entry: TestEntry, method: number): Buffer {
  const header = Buffer.alloc(30);
  header.writeUInt32LE(0x04034b50, 0);
  header.writeUInt16LE(20, 4);
  header.writeUInt16LE(entry.flags ?? 0, 6);
  header.writeUInt16LE(method, 8);
  header.writeUInt16LE(Buffer.byteLength(entry.name), 26);
  return header;
}

function directoryEntry(
  entry: TestEntry & { offset: number; bytes: number; compressedBytes: number; crc: number; method: number },
): Buffer {
  const header = Buffer.alloc(46);
  const { isZip64 = false } = entry;
  header.writeUInt32LE(0x02014b50, 0);
  header.writeUInt16LE(20, 4);
  header.writeUInt16LE(20, 6);
  header.writeUInt16LE(entry.flags ?? 0, 8);
  header.writeUInt16LE(entry.method, 10);
  header.writeUInt32LE(entry.crc, 16);
  header.writeUInt32LE(isZip64 ? 0xffffffff : entry.compressedBytes, 20);
  header.writeUInt32LE(isZip64 ? 0xffffffff : entry.bytes, 24);
  header.writeUInt16LE(Buffer.byteLength(entry.name), 28);
  header.writeUInt16LE(isZip64 ? 28 : 0, 30);
  header.writeUInt32LE(isZip64 ? 0xffffffff : entry.offset, 42);
  const extra = Buffer.alloc(isZip64 ? 28 : 0);
  if (isZip64) {
    extra.writeUInt16LE(1, 0);
    extra.writeUInt16LE(24, 2);
    extra.writeBigUInt64LE(BigInt(entry.bytes), 4);
    extra.writeBigUInt64LE(BigInt(entry.compressedBytes), 12);
    extra.writeBigUInt64LE(BigInt(entry.offset), 20);
  }
  return Buffer.concat([header, Buffer.from(entry.name), extra]);
}

interface End {
  readonly count: number;
  readonly size: number;
  readonly directoryStart: number;
}

function zip64End({
  at,
  count,
  size,
  directoryStart,
}: End & { readonly at: number }): [record: Buffer, locator: Buffer] {
  const record = Buffer.alloc(56);
  record.writeUInt32LE(0x06064b50, 0);
  record.writeBigUInt64LE(44n, 4);
  record.writeBigUInt64LE(BigInt(count), 24);
  record.writeBigUInt64LE(BigInt(count), 32);
  record.writeBigUInt64LE(BigInt(size), 40);
  record.writeBigUInt64LE(BigInt(directoryStart), 48);
  const locator = Buffer.alloc(20);
  locator.writeUInt32LE(0x07064b50, 0);
  locator.writeBigUInt64LE(BigInt(at), 8);
  locator.writeUInt32LE(1, 16);
  return [record, locator];
}

function endRecord({ count, size, directoryStart }: End): Buffer {
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(count, 8);
  end.writeUInt16LE(count, 10);
  end.writeUInt32LE(size, 12);
  end.writeUInt32LE(directoryStart, 16);
  return end;
}
