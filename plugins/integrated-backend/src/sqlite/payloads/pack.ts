import { promisify } from "node:util";
import { constants, zstdCompress } from "node:zlib";
import { inBackground } from "@faultline/plugin/flow";
import { hourMs } from "@faultline/plugin";
import type { PayloadEncoding } from "@faultline/proto";
import { sql, type Kysely } from "kysely";
import type { Tables } from "../../tables.ts";
import { blockBytes, jsonAt } from "../../event/payload.ts";

const compress = promisify(zstdCompress);

/**
 * Events of an application resemble each other, most of all the events of one error, so many events compressed together
 * take less space than separately: an event of 25 kB takes 2.8 kB instead of 4.5 in gzip, and no half-empty pages.
 * Level 9 takes 0.4 ms per event.
 */
const level = { params: { [constants.ZSTD_c_compressionLevel]: 9 }, chunkSize: 128 * 1024 };

/**
 * A block of JSON in its stored form. Its tables take 6 MiB, or 15 for a size unknown to zstd, and creating them would
 * cost as much as compressing.
 */
export const compressBlock = (jsons: Buffer) => compress(jsons, { ...level, pledgedSrcSize: jsons.length });

/**
 * Maximum events of one step, and their bytes: few enough to hold the writer for only some milliseconds. A single event
 * may exceed the limit.
 */
const step = { events: 64, bytes: 1024 * 1024 };

/** How long fewer events than a step wait for others. */
const patienceMs = hourMs;

/** Both sides of the database. */
export interface Sides {
  readonly read: Kysely<Tables>;
  readonly write: Kysely<Tables>;
}

/** Packs the payloads of the next events in the order of arrival. Returns false if there are too few. */
export async function packNext(database: Sides, now: number): Promise<boolean> {
  const range = await nextRange(database.read, now);
  if (!range) return false;
  const { rows: events } = await sql<LooseEvent>`
    select id, project_id, encoding, start, length, content
    from integrated_payload join integrated_event on id = event_row_id
    where event_row_id between ${range.first} and ${range.last}
    order by project_id, error_id, id`.execute(database.read);

  const blocks: [last: number, first: number, offset: number, length: number][] = [];
  const rows: [rowId: number, block: number, start: number, length: number][] = [];
  const contents: Buffer[] = [];
  let end = 1; // SQL counts bytes from 1
  for (const block of await blocksOf(events)) {
    const content = await compressBlock(Buffer.concat(block.jsons));
    const [first, last] = [Math.min(...block.ids), Math.max(...block.ids)];
    blocks.push([last, first, end, content.length]);
    for (const [n, [start, length]] of block.places.entries()) rows.push([block.ids[n] ?? 0, last, start, length]);
    contents.push(content);
    end += content.length;
  }
  const texts = { blocks: JSON.stringify(blocks), rows: JSON.stringify(rows) };
  await inBackground(() => callPackProcedure(database.write, { ...texts, contents: Buffer.concat(contents) }));
  return true;
}

interface LooseEvent {
  readonly id: number;
  readonly project_id: number;
  readonly encoding: PayloadEncoding;
  readonly start: number;
  readonly length: number;
  readonly content: Buffer;
}

/** The row ids of the next events. */
async function nextRange(
  database: Kysely<Tables>,
  now: number,
): Promise<{ readonly first: number; readonly last: number } | undefined> {
  const { rows } = await sql<{ id: number; bytes: number; received_at: number }>`
    select id, max(start + length, length(content)) as bytes, received_at
    from integrated_payload join integrated_event on id = event_row_id
    order by event_row_id limit ${step.events}`.execute(database);
  const [first] = rows;
  if (!first || (rows.length < step.events && now - first.received_at < patienceMs)) return undefined;
  let bytes = 0;
  let last = first.id;
  for (const row of rows) {
    bytes += row.bytes;
    if (bytes > step.bytes) break;
    last = row.id;
  }
  return { first: first.id, last };
}

/** Consecutive events: their row ids, their JSON, and the position of each in the block. */
interface Block {
  readonly projectId: number;
  readonly ids: number[];
  readonly jsons: Buffer[];
  readonly places: [start: number, length: number][];
  bytes: number;
}

/** Divides sorted events into blocks of one project each. */
async function blocksOf(events: readonly LooseEvent[]): Promise<Block[]> {
  const blocks: Block[] = [];
  for (const event of events) {
    const json = await jsonAt(event);
    let block = blocks.at(-1);
    if (block?.projectId !== event.project_id || block.bytes + json.length > blockBytes) {
      block = { projectId: event.project_id, ids: [], jsons: [], places: [], bytes: 0 };
      blocks.push(block);
    }
    block.ids.push(event.id);
    block.jsons.push(json);
    block.places.push([block.bytes, json.length]);
    block.bytes += json.length;
  }
  return blocks;
}

/** The rows that one step of packing writes. The lists are JSON lists of lists. */
interface PackParameters {
  /** An entry per block: row ids of its last and first event, offset from 1 and length in `contents`. */
  readonly blocks: string;
  /** All blocks, concatenated. */
  readonly contents: Buffer;
  /** An entry per event: its row id, its block, start and length of its JSON in the decompressed block. */
  readonly rows: string;
}

/** Creates the view and its trigger on the writer's connection, like createBatchProcedure. */
export async function createPackProcedure(database: Kysely<Tables>): Promise<void> {
  await sql`create temp view pack as select null as blocks, null as contents, null as rows where false`.execute(
    database,
  );
  await sql.raw(trigger).execute(database);
}

/** Moves payloads into blocks atomically. Returns false if one of the events was deleted meanwhile. */
async function callPackProcedure(database: Kysely<Tables>, pack: PackParameters): Promise<boolean> {
  const { blocks, contents, rows } = pack;
  try {
    await sql`insert into pack (blocks, contents, rows) values (${blocks}, ${contents}, ${rows})`.execute(database);
    return true;
  } catch (error) {
    if (String(error).includes(gone)) return false;
    throw error;
  }
}

const gone = "a payload to pack is gone";

const trigger = `create temp trigger packed instead of insert on pack begin

  select raise(abort, '${gone}') where json_array_length(new.rows) >
    (select count(*) from json_each(new.rows) join integrated_payload on event_row_id = value ->> 0);

  insert into integrated_block (last_row_id, first_row_id, content)
  select value ->> 0, value ->> 1, substr(new.contents, value ->> 2, value ->> 3) from json_each(new.blocks);

  insert into integrated_packed (event_row_id, block_row_id, start, length)
  select value ->> 0, value ->> 1, value ->> 2, value ->> 3 from json_each(new.rows);

  delete from integrated_payload where event_row_id in (select value ->> 0 from json_each(new.rows));

end`;
