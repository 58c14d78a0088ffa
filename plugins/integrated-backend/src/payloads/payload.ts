import { promisify } from "node:util";
import { gunzip, zstdDecompress } from "node:zlib";
import { PayloadEncoding } from "@faultline/proto";
import { sql, type Kysely } from "kysely";
import type { PayloadTable, Tables } from "../tables.ts";

const [decompressGzip, decompressBlock] = [promisify(gunzip), promisify(zstdDecompress)];

/** An event's JSON where it stands: in its own row, or in a block. */
type Place = Omit<PayloadTable, "event_row_id" | "encoding"> & { readonly encoding: PayloadEncoding | null };

/** The event's JSON as it was sent. */
export async function eventJson(database: Kysely<Tables>, eventRowId: number): Promise<Buffer> {
  const { rows } = await sql<Place>`
    select encoding, start, length, content from integrated_payload where event_row_id = ${eventRowId}
    union all
    select null, start, length, content from integrated_packed join integrated_block on last_row_id = block_row_id
    where event_row_id = ${eventRowId}`.execute(database);
  const [place] = rows;
  if (!place) throw new Error(`The payload of the event with row id ${eventRowId} is missing.`);
  return jsonAt(place);
}

/** The event's JSON in what was read of its place. */
export async function jsonAt({ encoding, start, length, content }: Place): Promise<Buffer> {
  const decoded = await decompressed(encoding, content);
  return length === 0 ? decoded.subarray(start) : decoded.subarray(start, start + length);
}

async function decompressed(encoding: PayloadEncoding | null, content: Buffer): Promise<Buffer> {
  if (encoding === null) return decompressBlock(content);
  return encoding === PayloadEncoding.GZIP ? decompressGzip(content) : content;
}
