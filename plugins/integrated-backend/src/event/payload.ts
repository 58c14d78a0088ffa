import { promisify } from "node:util";
import { gunzip, zstdDecompress } from "node:zlib";
import { PayloadEncoding } from "@faultline/proto";
import type { PayloadTable } from "../tables.ts";

const [decompressGzip, decompressZstd] = [promisify(gunzip), promisify(zstdDecompress)];

/** Bytes of JSON in a block. Reading one event decompresses the whole block: 0.7 ms, or 2.8 ms in pieces of 16 KiB. */
export const blockBytes = 512 * 1024;

/** The JSON of a block. */
export const decompressBlock = (content: Buffer) => decompressZstd(content, { chunkSize: blockBytes });

/** The place of an event's JSON: its own row or, without an encoding, a block. */
export type Place = Omit<PayloadTable, "event_row_id" | "encoding"> & { readonly encoding: PayloadEncoding | null };

/** The event's JSON in the bytes read from its place. */
export async function jsonAt({ encoding, start, length, content }: Place): Promise<Buffer> {
  const decoded = await decompressed(encoding, content);
  return length === 0 ? decoded.subarray(start) : decoded.subarray(start, start + length);
}

async function decompressed(encoding: PayloadEncoding | null, content: Buffer): Promise<Buffer> {
  if (encoding === null) return decompressBlock(content);
  return encoding === PayloadEncoding.GZIP ? decompressGzip(content, { chunkSize: roomFor(content) }) : content;
}

/**
 * Room for the size in gzip's trailer (RFC 1952, 2.3.1), which may be any number: 64 kB take 0.3 ms, or 0.6 in pieces
 * of 16 KiB.
 */
function roomFor(gzip: Buffer): number {
  const size = gzip.length < 4 ? 0 : gzip.readUInt32LE(gzip.length - 4);
  return Math.min(Math.max(size, 1024), blockBytes) + 64; // zlib allocates another piece when a piece is full
}
