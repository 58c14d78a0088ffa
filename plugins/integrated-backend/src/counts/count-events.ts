import type { Host } from "@faultline/plugin";
import { LoopSlices, inBackground } from "@faultline/plugin/flow";
import { largestParsed } from "../event/examined-event.ts";
import { namesToStore } from "../event/stored-names.ts";
import type { Storage } from "../storage.ts";
import type { EventTable } from "../tables.ts";
import { eachFact, Counts, type CountedEvent } from "./counts.ts";
import { largeFacts, storedFacts, type StoredFacts } from "./large-facts.ts";

/**
 * Counts are written every five seconds, because more events then share a count: at 800 events/s of 200 errors, writing
 * each second took SQLite 13 µs an event. A breakdown writes the counts in memory before it reads, so it never waits
 * for the interval.
 */
const writeMs = 5_000;

const countMs = 1_000;

/**
 * Schedules counting of users and tags of stored events: writes noted counts, and reads events without noted counts.
 */
export function scheduleCounting(storage: Storage, scheduler: Host["scheduler"]): void {
  scheduler.every(writeMs, "write counts of users and tags", () => storage.counting.settle());
  const count = (signal: AbortSignal) => countEvents(storage, signal);
  scheduler.every(countMs, "count users and tags", count, { alone: true });
}

/**
 * Counts stored events from their JSON: events that an earlier release stored, events that a process noted before it
 * was killed, and all events on PostgreSQL.
 */
async function countEvents(storage: Storage, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const uncounted = await storage.counting.uncounted();
    if (!uncounted) return;
    const counts = new Counts();
    for (const [row, event] of await countedEvents(storage, uncounted.rows)) {
      counts.add(String(row.error_id), uncounted.withUsers ? event : { ...event, user: "" });
    }
    await inBackground(() => uncounted.add(counts)); // if an event was deleted meanwhile, they are read again
  }
}

/**
 * Stored events in the form to count. Events without JSON are deleted by now, or are counted by the fields of their
 * row.
 */
export async function countedEvents(
  storage: Pick<Storage, "eventJsons" | "read">,
  rows: readonly EventTable[],
): Promise<(readonly [row: EventTable, event: CountedEvent])[]> {
  const slices = new LoopSlices();
  const facts = new Map<number, StoredFacts>();
  for (const ofProject of Map.groupBy(rows, (row) => row.project_id).values()) {
    for await (const [id, json] of storage.eventJsons(storage.read, ofProject)) {
      facts.set(id, json.length > largestParsed ? await largeFacts(json) : storedFacts(json));
      await slices.next();
    }
  }
  return rows.map((row) => [row, countedEvent(row, facts.get(row.id))]);
}

/** The counted values of events, without their users, as entries of row id, key and value. */
export async function factsOf(
  storage: Pick<Storage, "eventJsons" | "read">,
  rows: readonly EventTable[],
): Promise<(readonly [rowId: number, key: string, value: string])[]> {
  const facts: (readonly [number, string, string])[] = [];
  for (const [row, event] of await countedEvents(storage, rows)) {
    eachFact({ ...event, user: "" }, (key, value) => facts.push([row.id, key, value]));
  }
  return facts;
}

function countedEvent(row: EventTable, facts: StoredFacts | undefined): CountedEvent {
  const { occurred_at: occurredAt, user, level, release, environment } = row;
  const names = user === "" ? "" : namesToStore(facts?.names, occurredAt);
  return { occurredAt, user, level, release, environment, tags: facts?.tags ?? {}, names };
}
