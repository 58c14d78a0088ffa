import type { Holding } from "./holding.ts";

/** Large bodies that begin to be read in one turn of the event loop: each takes it half a millisecond. */
const bodiesATurn = 2;

/** What Node reads of a body before anybody asks for it (`highWaterMark` of a stream). */
const readAheadBytes = 64 * 1024;

const waiting: (() => void)[] = [];
let begun = 0;
let isScheduled = false;

/**
 * Resolves when a large body may be read, and counts meanwhile what Node has read of it. When 200 bodies of 140 kB came at
 * once, all were read in one turn of the event loop, and the events of others waited for up to 200 ms.
 */
export async function readingTurn(holding: Holding): Promise<void> {
  schedule();
  if (begun < bodiesATurn && waiting.length === 0) {
    begun++;
    return;
  }
  holding.hold(readAheadBytes);
  await new Promise<void>((begin) => waiting.push(begin));
}

function schedule(): void {
  if (isScheduled) return;
  isScheduled = true;
  setImmediate(() => {
    isScheduled = false;
    const next = waiting.splice(0, bodiesATurn);
    begun = next.length;
    if (begun > 0) schedule();
    for (const begin of next) begin();
  });
}
