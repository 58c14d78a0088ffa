import { LoopTurns } from "../../loop-turns.ts";
import type { MemoryReservation } from "./memory-budget.ts";

/** The large bodies whose reading begins at once: 200 took 180 ms of the event loop. */
const turns = new LoopTurns(2);

/** The bytes that Node reads ahead of a body (`highWaterMark` of a stream). */
const readAheadBytes = 64 * 1024;

/**
 * Resolves when a large body may be read, and counts meanwhile the bytes that Node read ahead. When 200 bodies of 140 kB came
 * at once, all were read in one turn of the event loop, and the events of others waited for up to 200 ms.
 */
export async function readingTurn(reservation: MemoryReservation): Promise<void> {
  if (!turns.isFree) reservation.hold(readAheadBytes);
  await new Promise<void>((begin) => turns.take(begin));
}
