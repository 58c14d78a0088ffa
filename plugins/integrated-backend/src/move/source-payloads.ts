import { PayloadEncoding } from "@faultline/proto";
import { sql, type Kysely } from "kysely";
import { decompressBlock, type Place } from "../event/payload.ts";

/** Maximum events of a chunk, and bytes of their JSON. A chunk is held in memory. */
const chunk = { events: 500, bytes: 4 * 1024 * 1024 };

const listed = (ids: readonly number[]) => sql`(select value from json_each(${JSON.stringify(ids)}))`;

/** Divides events into chunks by the size of their payloads in memory, including events without a payload. */
export async function chunksOf(source: Kysely<unknown>, ids: readonly number[]): Promise<number[][]> {
  const { rows } = await sql<{ id: number; bytes: number }>`
    select event_row_id as id, max(length(content), start + length) as bytes from integrated_payload
    where event_row_id in ${listed(ids)}
    union all
    select event_row_id, length from integrated_packed where event_row_id in ${listed(ids)}`.execute(source);
  const bytesOf = new Map(rows.map(({ id, bytes }) => [id, bytes]));
  const chunks: number[][] = [];
  let bytes = Infinity;
  for (const id of ids) {
    const last = chunks.at(-1);
    bytes += bytesOf.get(id) ?? 0;
    if (last && last.length < chunk.events && bytes <= chunk.bytes) last.push(id);
    else {
      chunks.push([id]);
      bytes = bytesOf.get(id) ?? 0;
    }
  }
  return chunks;
}

/** A payload in its stored form. */
export interface SourcePayload extends Place {
  /** Whether it comes from a block and is decompressed. */
  readonly isPacked: boolean;
}

interface Found extends Omit<Place, "content"> {
  readonly id: number;
  /** The content of an event that is not packed. */
  readonly content: Buffer | null;
  readonly block: number | null;
}

/** Payloads of events by row id. A deleted event has none. */
export async function payloadsOf(source: Kysely<unknown>, ids: readonly number[]): Promise<Map<number, SourcePayload>> {
  const { rows } = await sql<Found>`
    select event_row_id as id, encoding, start, length, content, null as block from integrated_payload
    where event_row_id in ${listed(ids)}
    union all
    select event_row_id, null, start, length, null, block_row_id from integrated_packed
    where event_row_id in ${listed(ids)}`.execute(source);
  const payloads = new Map<number, SourcePayload>();
  const ofBlocks = new Map<number, Found[]>();
  for (const row of rows) {
    if (row.block === null) {
      payloads.set(row.id, { ...row, isPacked: false, content: row.content ?? Buffer.alloc(0) });
    } else {
      const others = ofBlocks.get(row.block);
      if (others) others.push(row);
      else ofBlocks.set(row.block, [row]);
    }
  }
  const { rows: blocks } = await sql<{ id: number; content: Buffer }>`
    select last_row_id as id, content from integrated_block
    where last_row_id in ${listed([...ofBlocks.keys()])}`.execute(source);
  for (const { id, content } of blocks) {
    const jsons = await decompressBlock(content);
    for (const { id: event, start, length } of ofBlocks.get(id) ?? []) {
      const json = jsons.subarray(start, start + length);
      payloads.set(event, { encoding: PayloadEncoding.UNSPECIFIED, start: 0, length, content: json, isPacked: true });
    }
  }
  return payloads;
}
