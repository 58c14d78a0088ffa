import { sql, type AbortableQueryOptions, type SqlBool } from "kysely";
import { LoopSlices } from "@faultline/plugin/flow";
import { readEvents } from "../breakdown/read-events.ts";
import { meetsAll, type EventTerm } from "../search/event-terms.ts";
import type { Storage } from "../storage.ts";
import type { EventTable } from "../tables.ts";

/** Events that are checked at once; an error may have millions. */
export const examinedEvents = 1_000;

/** About two blocks of payloads; eight of them are all that is examined. */
const sliceEvents = 125;

/** Bytes of JSON that are read at once: 1,000 events of 32 kB. */
const examinedBytes = 32 * 1024 * 1024;

/** The limits of a read that may take long. */
export type Limits = AbortableQueryOptions;

interface Wanted {
  readonly projectId: number;
  readonly errorId: number;
  readonly terms: readonly EventTerm[];
  readonly direction: "older" | "newer";
  /** Beyond this event. Absent: from the newest, or the oldest. */
  readonly place: readonly [occurredAt: number, id: number] | undefined;
  /** By occurred_at, in milliseconds. */
  readonly from: number;
  readonly to: number;
  readonly limit: number;
}

/** Events that match, in the order of the walk. `stoppedAt`: the last that was examined, if there are more. */
export interface MatchingEvents {
  readonly rows: readonly EventTable[];
  readonly stoppedAt: EventTable | undefined;
}

/** Walks the events of an error and returns the first that meet all terms. */
export async function matchingEvents(storage: Storage, wanted: Wanted, limits: Limits): Promise<MatchingEvents> {
  const found: EventTable[] = [];
  const slices = new LoopSlices();
  const reading = { signal: limits.signal, until: Infinity, bytes: examinedBytes };
  let { place } = wanted;
  for (let examined = 0; examined < examinedEvents && reading.bytes > 0; examined += sliceEvents) {
    const rows = await nextRows(storage, { ...wanted, place }, limits);
    const read = await readEvents(storage, rows, { limits: reading, slices });
    for (const event of read) {
      if (!meetsAll(event, wanted.terms)) continue;
      found.push(event.row);
      if (found.length === wanted.limit) return { rows: found, stoppedAt: undefined };
    }
    const last = rows.at(-1);
    if (!last || rows.length < sliceEvents) return { rows: found, stoppedAt: undefined };
    place = [last.occurred_at, last.id];
    if (examined + sliceEvents >= examinedEvents || reading.bytes <= 0) return { rows: found, stoppedAt: last };
  }
  return { rows: found, stoppedAt: undefined };
}

function nextRows(
  { readExpensively }: Storage,
  { projectId, errorId, direction, place, from, to }: Wanted,
  limits: Limits,
): Promise<EventTable[]> {
  const order = direction === "older" ? "desc" : "asc";
  let events = readExpensively
    .selectFrom("integrated_event")
    .selectAll()
    .where("project_id", "=", projectId)
    .where("error_id", "=", errorId)
    .where("occurred_at", ">=", from)
    .where("occurred_at", "<", to)
    .orderBy("occurred_at", order)
    .orderBy("id", order)
    .limit(sliceEvents);
  if (place) {
    const beyond = sql.raw(direction === "older" ? "<" : ">");
    events = events.where(sql<SqlBool>`(occurred_at, id) ${beyond} (${place[0]}, ${place[1]})`);
  }
  return events.execute(limits);
}
