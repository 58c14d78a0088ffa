import type { ErrorEvent } from "@faultline/proto";
import { sql, type Kysely } from "kysely";
import { callBatchProcedure } from "./batch-procedure.ts";
import { Batch, type Changes } from "./batch.ts";
import type { Tables } from "./tables.ts";
import type { WriterMemory } from "./writer-memory.ts";

/** Stores a batch in one transaction; events that are stored already, or twice in the batch, count once. */
export async function storeBatch(
  database: Kysely<Tables>,
  memory: WriterMemory,
  events: readonly ErrorEvent[],
): Promise<Changes> {
  const distinct = firstOfEach(events);
  try {
    return await write(database, memory, distinct);
  } catch (error) {
    if (!isDuplicate(error)) throw error;
  }
  // Repeated events are rare, so looking for them waits until the unique key has found one.
  const fresh = await withoutStored(database, distinct);
  return fresh.length > 0 ? write(database, memory, fresh) : new Map();
}

async function write(database: Kysely<Tables>, memory: WriterMemory, events: readonly ErrorEvent[]): Promise<Changes> {
  const batch = new Batch(memory, events);
  await callBatchProcedure(database, batch.parameters());
  memory.knownRows.add(batch.newRows()); // only now: a batch that failed has stored nothing
  return batch.changes();
}

function isDuplicate(error: unknown): boolean {
  return String(error).includes("UNIQUE constraint failed: integrated_event.project_id, integrated_event.event_id");
}

function firstOfEach(events: readonly ErrorEvent[]): ErrorEvent[] {
  const first = new Map<string, ErrorEvent>();
  for (const event of events) {
    const key = `${event.projectId}/${event.eventId}`;
    if (!first.has(key)) first.set(key, event);
  }
  return [...first.values()];
}

async function withoutStored(database: Kysely<Tables>, events: readonly ErrorEvent[]): Promise<ErrorEvent[]> {
  const ids = JSON.stringify(events.map((event) => [event.projectId, event.eventId]));
  const { rows } = await sql<{ n: number }>`
    select j.key as n from json_each(${ids}) j
    join integrated_event e on e.project_id = j.value ->> 0 and e.event_id = unhex(j.value ->> 1)`.execute(database);
  const stored = new Set(rows.map(({ n }) => n));
  return events.filter((_, n) => !stored.has(n));
}
