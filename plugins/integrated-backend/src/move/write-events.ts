import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { Move } from "@faultline/plugin";
import { PayloadEncoding } from "@faultline/proto";
import { sql, type Kysely } from "kysely";
import type { Place } from "../storing/payload.ts";
import { storableJson } from "../storing/storable-json.ts";
import type { SummedEvent } from "./buckets.ts";
import { concurrently } from "./concurrently.ts";
import { chunksOf, payloadsOf, type SourcePayload } from "./source-payloads.ts";

const compress = promisify(gzip);

/**
 * Writes events with their payloads, one chunk per statement. While PostgreSQL stores a chunk, the next is read and
 * compressed.
 */
export async function writeEvents({ source, target }: Move, events: readonly SummedEvent[]): Promise<void> {
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

/** The client keys that events came with, by the row id of the event. */
async function keysOf(source: Move["source"], ids: readonly number[]): Promise<Map<number, number>> {
  const { rows } = await sql<{ event_row_id: number; key_id: number }>`
    select event_row_id, key_id from integrated_origin
    where event_row_id in (select value from json_each(${JSON.stringify(ids)}))`.execute(source);
  return new Map(rows.map(({ event_row_id, key_id }) => [event_row_id, key_id]));
}

/**
 * Payloads as PostgreSQL keeps them: those that were packed are compressed with gzip, so that each can be read by
 * itself.
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
    if (!payload) return row; // it was deleted while it was read: the next run deletes the event too
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
