import { LoopSlices } from "@faultline/plugin/flow";
import type { EventUser } from "@faultline/proto";
import type { Storage } from "../storage.ts";
import type { EventTable } from "../tables.ts";
import { examine, type ExaminedEvent } from "../event/examined-event.ts";

/** The limits of a read. It ends at the first limit that it reaches. */
export interface ReadLimits {
  readonly signal: AbortSignal | undefined;
  /** The end, by performance.now(). */
  readonly until: number;
  /** The remaining bytes of JSON. */
  bytes: number;
}

/**
 * Reads and parses stored events in slices of the event loop, and returns them in order. Events that are deleted
 * meanwhile have no JSON.
 */
export async function readEvents(
  storage: Storage,
  rows: readonly EventTable[],
  { limits, slices }: { limits: ReadLimits; slices: LoopSlices },
): Promise<ExaminedEvent[]> {
  const rowsById = new Map(rows.map((row) => [row.id, row]));
  const read = new Map<number, ExaminedEvent>();
  for await (const [id, json] of storage.eventJsons(storage.readExpensively, rows)) {
    const row = rowsById.get(id);
    if (row) read.set(id, examine(row, json));
    limits.bytes -= json.length;
    await slices.next();
  }
  return rows.map((row) => read.get(row.id) ?? examine(row, undefined));
}

/** Whether a read must end. Throws if its caller has left. */
export function isSpent({ signal, until, bytes }: ReadLimits): boolean {
  signal?.throwIfAborted();
  return bytes <= 0 || performance.now() >= until;
}

/** The users of some events, by row id. Skips events that name no user. */
export async function userNames(storage: Storage, rows: readonly EventTable[]): Promise<Map<number, EventUser>> {
  const slices = new LoopSlices();
  const named = new Map(rows.filter(({ user }) => user !== "").map((row) => [row.id, row]));
  const found = new Map<number, EventUser>();
  for await (const [id, json] of storage.eventJsons(storage.read, [...named.values()])) {
    const row = named.get(id);
    const names = row && examine(row, json).names;
    if (names) found.set(id, { $typeName: "faultline.v1.EventUser", ...names });
    await slices.next();
  }
  return found;
}
