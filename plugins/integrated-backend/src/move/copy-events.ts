import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { type CopiedTable, type Move, dayMs } from "@faultline/plugin";
import { sql, type Kysely, type RawBuilder } from "kysely";
import { PayloadEncoding } from "@faultline/proto";
import { makePartitions } from "../postgresql/partitions.ts";
import { addUsage } from "../postgresql/usage.ts";
import type { EventTable, Tables } from "../tables.ts";
import { Buckets, bucketIds, bucketsIn, deleteBuckets, partsOfEvent, type SummedEvent } from "./buckets.ts";
import { jsonAt, type Place } from "../event/payload.ts";
import { chunksOf, payloadsOf, type SourcePayload } from "./source-payloads.ts";
import { storableJson } from "../event/storable-json.ts";

/** Row ids of PostgreSQL carry the day of receipt: day * 2^37 + n, with n the row id of SQLite modulo 2^37. */
const idsOfDay = 2 ** 37;

const dayOf = ({ received_at }: Pick<EventTable, "received_at">) => Math.floor(received_at / dayMs);

/** Maximum reported differences of one kind. More would hide differences of other kinds. */
const differencesNamed = 20;

/**
 * Copies events and their payloads. Events never change, but are added and deleted. Both sides add up checksums over
 * some thousand row ids each; only if these differ are rows compared and written or deleted. So a repeated run reads
 * every event's index entry, but only the payloads of new events.
 */
export async function copyEvents(move: Move): Promise<CopiedTable[]> {
  const { source, target, verify } = move;
  const checksum = await move.checksumOf("integrated_event");
  const left = await bucketsIn(target, checksum.sql);
  const read = new Buckets();
  const days = new Set<number>();
  const { rows: range } = await sql<{ last: number | null; n: number }>`
    select max(id) as last, count(*) as n from integrated_event`.execute(source);
  const { last = null, n: total = 0 } = range[0] ?? {};
  const copied = move.progress("integrated_event", total);
  let [written, deleted, payloads] = [0, 0, 0];
  const different: EventTable[] = [];

  for await (const rows of slicesOf(source, last ?? 0)) {
    const events = rows.map((row): SummedEvent => {
      const event = { ...row, id: dayOf(row) * idsOfDay + (row.id % idsOfDay) };
      return { event, rowId: row.id, sum: checksum.ofRow(event) };
    });
    for (const one of events) read.add(one.event.id, one.sum);
    const missing: SummedEvent[] = [];
    for (const [bucket, some] of Map.groupBy(events, ({ event }) => Buckets.of(event.id))) {
      const there = left.take(bucket);
      if (there === undefined) missing.push(...some);
      else if (!read.has(bucket, there)) {
        const kept = await keepEqual(target, { bucket, events: some, checksum: checksum.sql });
        missing.push(...kept.missing);
        deleted += kept.deleted;
      }
    }
    for (const day of new Set(missing.map(({ event }) => dayOf(event)))) {
      if (!days.has(day)) await makePartitions(target as Kysely<Tables>, [day]);
      days.add(day);
    }
    await writeEvents(move, missing);
    written += missing.length;
    const compared = await comparePayloads(move, verify === "all" ? events : sampleOf(events));
    payloads += compared.count;
    different.push(...compared.different);
    copied(rows.length);
  }
  deleted += await deleteBuckets(target, left);
  await sql`select setval('integrated_event_n', ${((last ?? 0) + 1) % idsOfDay}, false)`.execute(target);
  await countUsage(move);
  await countAgain(move, last ?? 0);
  const differing = read.differences(await bucketsIn(target, checksum.sql));
  await remove(target, different); // the next run writes them again
  const named = different.slice(0, differencesNamed).map(({ event_id, project_id }) => {
    return `integrated_payload: the payload of event ${event_id.toString("hex")} of project ${project_id} differs`;
  });
  const more = different.length - named.length;
  if (more > 0) named.push(`integrated_payload: ${more} more differ`);
  const done = { rows: read.rows, written, deleted };
  return [
    { table: "integrated_event", ...done, differences: differing },
    { table: "integrated_payload", ...done, compared: payloads, differences: named },
  ];
}

/**
 * Lists all events as not counted by their tags, so that the service counts them once it runs on PostgreSQL. Users move
 * with their counts.
 */
async function countAgain({ source, target }: Move, last: number): Promise<void> {
  const { rows: ranges } = await sql<{ from_id: number; to_id: number }>`
    select max(from_id, users_until + 1) as from_id, min(to_id, ${last}) as to_id from integrated_uncounted
    where max(from_id, users_until + 1) <= min(to_id, ${last}) order by from_id`.execute(source);
  const parts: [from: number, to: number, users: boolean][] = [];
  let next = 0;
  for (const { from_id: from, to_id: to } of ranges) {
    if (from > next) parts.push([next, from - 1, false]);
    parts.push([from, to, true]);
    next = to + 1;
  }
  if (next <= last) parts.push([next, last, false]);
  await target.transaction().execute(async (transaction) => {
    await sql`truncate integrated_count, integrated_uncounted`.execute(transaction);
    await sql`insert into integrated_uncounted (project_id, first_n, last_n, after_id, users)
      select project_id, (j ->> 0)::bigint, (j ->> 1)::bigint, 0, (j ->> 2)::boolean
      from integrated_usage, jsonb_array_elements(${JSON.stringify(parts)}::jsonb) as p (j)`.execute(transaction);
  });
}

/**
 * Counts the usage of projects, because payloads have other sizes on PostgreSQL, which packs nothing. Tags are copied
 * unchanged afterwards.
 */
async function countUsage({ source, target }: Move): Promise<void> {
  const { rows: tags } = await sql<{ project_id: number; bytes: number }>`
    select project_id, sum(octet_length(t.key) + octet_length(t.value) + 64) as bytes
    from integrated_tag t join integrated_error e on e.id = t.error_id group by 1`.execute(source);
  await target.transaction().execute(async (transaction) => {
    await sql`delete from integrated_usage`.execute(transaction);
    await addUsage(
      transaction as Kysely<Tables>,
      sql`select project_id, count(*), 0, 0 from integrated_event group by 1
        union all select project_id, 0, sum(length(content)), 0 from integrated_payload group by 1
        union all select id, 0, 0, bytes from unnest(
          ${tags.map(({ project_id }) => project_id)}::bigint[], ${tags.map(({ bytes }) => bytes)}::bigint[]) as tag (id, bytes)`,
    );
  });
}

/** Reads all events up to a row id, one bucket of row ids at a time. */
async function* slicesOf(source: Kysely<unknown>, last: number): AsyncGenerator<EventTable[]> {
  for (let from = 0; from <= last;) {
    const { rows: next } = await sql<{ id: number | null }>`
      select min(id) as id from integrated_event where id >= ${from}`.execute(source);
    const id = next[0]?.id;
    if (id == null || id > last) return;
    const end = (Math.floor(id / bucketIds) + 1) * bucketIds;
    const { rows } = await sql<EventTable>`
      select * from integrated_event where id >= ${id} and id < ${Math.min(end, last + 1)} order by id`.execute(source);
    if (rows.length > 0) yield rows;
    from = end;
  }
}

/** Deletes the events of a bucket that SQLite does not have or has differently. Returns the events to write. */
async function keepEqual(
  target: Kysely<unknown>,
  { bucket, events, checksum }: { bucket: number; events: readonly SummedEvent[]; checksum: RawBuilder<unknown> },
): Promise<{ missing: SummedEvent[]; deleted: number }> {
  const { rows } = await sql<{ project_id: number; id: number; sum: string }>`
    select project_id, id, ${checksum}::text as sum from integrated_event
    where id >= ${bucket * bucketIds} and id < ${(bucket + 1) * bucketIds}`.execute(target);
  const wanted = new Map(events.map((one) => [one.event.id, one]));
  const stale = rows.filter(({ id, sum }) => String(wanted.get(id)?.sum) !== sum);
  const equal = new Set(rows.map(({ id }) => id));
  for (const { id } of stale) equal.delete(id);
  await remove(target, stale);
  return { missing: events.filter(({ event }) => !equal.has(event.id)), deleted: stale.length };
}

async function remove(
  target: Kysely<unknown>,
  events: readonly Pick<EventTable, "project_id" | "id">[],
): Promise<void> {
  if (events.length === 0) return;
  const projects = [...new Set(events.map(({ project_id }) => project_id))];
  const ids = events.map(({ id }) => id);
  for (const part of partsOfEvent) {
    await sql`delete from ${sql.table(part)}
      where project_id = any(${projects}::bigint[]) and event_row_id = any(${ids}::bigint[])`.execute(target);
  }
  await sql`delete from integrated_event
    where project_id = any(${projects}::bigint[]) and id = any(${ids}::bigint[])`.execute(target);
}

/** Consecutive events of each bucket that are compared, because they are packed together. */
const sampled = 8;

/** A sample that differs each time. */
function sampleOf(events: readonly SummedEvent[]): readonly SummedEvent[] {
  const from = Math.floor(Math.random() * Math.max(1, events.length - sampled));
  return events.slice(from, from + sampled);
}

/** Compares the JSON of events on both sides, byte by byte. Skips an event that was deleted from SQLite meanwhile. */
async function comparePayloads(
  { source, target }: Move,
  events: readonly SummedEvent[],
): Promise<{ count: number; different: EventTable[] }> {
  const byRowId = new Map(events.map((one) => [one.rowId, one]));
  const different: EventTable[] = [];
  let count = 0;
  for (const ids of await chunksOf(source, [...byRowId.keys()])) {
    const some = ids.flatMap((id) => byRowId.get(id) ?? []);
    const projects = [...new Set(some.map(({ event }) => event.project_id))];
    const [payloads, { rows }] = await Promise.all([
      payloadsOf(source, ids),
      sql<Place & { id: number }>`
        select event_row_id as id, encoding, start, length, content from integrated_payload
        where project_id = any(${projects}::bigint[])
          and event_row_id = any(${some.map(({ event }) => event.id)}::bigint[])`.execute(target),
    ]);
    const there = new Map(rows.map((row) => [row.id, row]));
    await concurrently(some, async ({ event, rowId }) => {
      const [payload, copy] = [payloads.get(rowId), there.get(event.id)];
      if (!payload) return;
      count++;
      const isEqual = copy && (await jsonAt(payload)).equals(await jsonAt(copy));
      if (!isEqual) different.push(event);
    });
  }
  return { count, different };
}

const compress = promisify(gzip);

/**
 * Writes events with their payloads, one chunk per statement. While PostgreSQL stores a chunk, the next chunk is read
 * and compressed.
 */
async function writeEvents({ source, target }: Move, events: readonly SummedEvent[]): Promise<void> {
  const byRowId = new Map(events.map((one) => [one.rowId, one]));
  let storing: Promise<unknown> = Promise.resolve();
  for (const ids of await chunksOf(source, [...byRowId.keys()])) {
    const payloads = await storedForms(await payloadsOf(source, ids));
    const keys = await keysOf(source, ids);
    await storing;
    storing = insert(
      target,
      ids.flatMap((id) => byRowId.get(id) ?? []),
      payloads,
      keys,
    );
    storing.catch(() => undefined); // awaited below, after the next chunk is read
  }
  await storing;
}

/** The client keys with which events arrived, by the row id of the event. */
async function keysOf(source: Move["source"], ids: readonly number[]): Promise<Map<number, number>> {
  const { rows } = await sql<{ event_row_id: number; key_id: number }>`
    select event_row_id, key_id from integrated_origin
    where event_row_id in (select value from json_each(${JSON.stringify(ids)}))`.execute(source);
  return new Map(rows.map(({ event_row_id, key_id }) => [event_row_id, key_id]));
}

/**
 * Payloads in the form for PostgreSQL. Packed payloads are compressed with gzip, so that each can be read separately.
 */
async function storedForms(payloads: ReadonlyMap<number, SourcePayload>): Promise<Map<number, Place>> {
  const forms = new Map<number, Place>();
  await concurrently(payloads, async ([id, place]) => {
    if (!place.isPacked) forms.set(id, place);
    else forms.set(id, { ...place, encoding: PayloadEncoding.GZIP, content: await compress(place.content) });
  });
  return forms;
}

async function insert(
  target: Kysely<unknown>,
  events: readonly SummedEvent[],
  payloads: ReadonlyMap<number, Place>,
  keys: ReadonlyMap<number, number>,
): Promise<void> {
  const contents: Buffer[] = [];
  let end = 1; // SQL counts bytes from 1
  const rows = events.map(({ event, rowId }) => {
    const row = { ...event, event_id: event.event_id.toString("hex"), key_id: keys.get(rowId) };
    const payload = payloads.get(rowId);
    if (!payload) return row; // deleted while it was read; the next run deletes the event too
    const { encoding, start, length, content } = payload;
    const at = end;
    contents.push(content);
    end += content.length;
    return { ...row, at, bytes: content.length, encoding, start, length };
  });
  await sql`
    with moved as materialized (
      select * from json_to_recordset(${storableJson(rows)}::json) as r (
        project_id bigint, id bigint, event_id text, error_id bigint, occurred_at bigint, received_at bigint, title text,
        "user" text, release text, environment text, level text,
        key_id bigint, at integer, bytes integer, encoding integer, start integer, length integer)
    ), stored as (
      insert into integrated_event (
        project_id, id, event_id, error_id, occurred_at, received_at, title, "user", release, environment, level)
      select project_id, id, decode(event_id, 'hex'), error_id, occurred_at, received_at, title, "user", release,
        environment, level
      from moved
    ), keyed as (
      insert into integrated_origin (project_id, event_row_id, key_id)
      select project_id, id, key_id from moved where key_id is not null
      on conflict (project_id, event_row_id) do update set key_id = excluded.key_id
    )
    insert into integrated_payload (project_id, event_row_id, encoding, start, length, content)
    select project_id, id, encoding, start, length, substring(${Buffer.concat(contents)}::bytea from at for bytes)
    from moved where at is not null
    on conflict (project_id, event_row_id) do update set encoding = excluded.encoding, start = excluded.start,
      length = excluded.length, content = excluded.content`.execute(target);
}

/** The thread pool has four threads; each waiting compression takes 300 kB. */
const lanes = 8;

/** Runs work for each item, some concurrently. */
async function concurrently<Item>(items: Iterable<Item>, work: (item: Item) => Promise<void>): Promise<void> {
  const waiting = [...items];
  const lane = async () => {
    for (let item = waiting.pop(); item !== undefined; item = waiting.pop()) await work(item);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}
