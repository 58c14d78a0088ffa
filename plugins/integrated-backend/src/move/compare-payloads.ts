import type { Move } from "@faultline/plugin";
import { sql } from "kysely";
import { jsonAt, type Place } from "../storing/payload.ts";
import type { EventTable } from "../tables.ts";
import type { SummedEvent } from "./buckets.ts";
import { concurrently } from "./concurrently.ts";
import { chunksOf, payloadsOf } from "./source-payloads.ts";

/** Consecutive events of each bucket that are compared, as they are packed together. */
const sampled = 8;

/** A sample that differs each time. */
export function sampleOf(events: readonly SummedEvent[]): readonly SummedEvent[] {
  const from = Math.floor(Math.random() * Math.max(1, events.length - sampled));
  return events.slice(from, from + sampled);
}

/** Compares the JSON of events on both sides, byte by byte. Skips an event that was deleted from SQLite meanwhile. */
export async function comparePayloads(
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
