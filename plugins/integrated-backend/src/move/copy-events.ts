import type { CopiedTable, Move } from "@faultline/plugin";
import { sql, type Kysely, type RawBuilder } from "kysely";
import { dayMs } from "../retention/retention.ts";
import { makePartitions } from "../postgresql/partitions.ts";
import { addUsage } from "../postgresql/usage.ts";
import type { EventTable, Tables } from "../tables.ts";
import { Buckets, bucketIds, bucketsIn, deleteBuckets, partsOfEvent, type SummedEvent } from "./buckets.ts";
import { comparePayloads, sampleOf } from "./compare-payloads.ts";
import { writeEvents } from "./write-events.ts";

/** Row ids of PostgreSQL carry the day of receipt: day * 2^37 + n. Here n is the row id of SQLite, modulo 2^37. */
const idsOfDay = 2 ** 37;

const dayOf = ({ received_at }: Pick<EventTable, "received_at">) => Math.floor(received_at / dayMs);

/** Differences of one kind that are reported; more would hide those of other kinds. */
const differencesNamed = 20;

/**
 * Copies events and their payloads. Events do not change, but are added and deleted: both sides add up checksums over
 * some thousand row ids each, and only where these differ are rows compared and written or deleted. So a repeated run
 * reads every event's index entry, but only the payloads of new events.
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

/** Lists all events as not counted by their tags: the service counts them once it runs on PostgreSQL. Users move with their counts. */
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
 * Counts the usage of projects: payloads have other sizes here, where nothing is packed. Tags are copied unchanged
 * afterwards.
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

/** All events up to a row id, one bucket of row ids at a time. */
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

/** Deletes the events of a bucket that SQLite does not have or has differently; returns the events to write. */
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
