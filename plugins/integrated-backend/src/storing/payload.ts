import { promisify } from "node:util";
import { gunzip, zstdDecompress } from "node:zlib";
import { PayloadEncoding } from "@faultline/proto";
import type { PayloadTable } from "../tables.ts";

const [decompressGzip, decompressBlock] = [promisify(gunzip), promisify(zstdDecompress)];

/** The place of an event's JSON: its own row, or, without an encoding, a block. */
export type Place = Omit<PayloadTable, "event_row_id" | "encoding"> & { readonly encoding: PayloadEncoding | null };

/** The event's JSON in the bytes read from its place. */
export async function jsonAt({ encoding, start, length, content }: Place): Promise<Buffer> {
  const decoded = await decompressed(encoding, content);
  return length === 0 ? decoded.subarray(start) : decoded.subarray(start, start + length);
}

async function decompressed(encoding: PayloadEncoding | null, content: Buffer): Promise<Buffer> {
  if (encoding === null) return decompressBlock(content);
  return encoding === PayloadEncoding.GZIP ? decompressGzip(content) : content;
}
