import type { EventAnswer } from "#lib/messages.ts";
import { fullNumber } from "#lib/number-format.ts";

/** How far the service counts the older events of an event. */
const countedOlder = 10_000;

/**
 * `12 of 340 kept`: the place of an event among those of its error, the oldest being the first. `readCount`: how many there
 * were when it was read; `count`: how many there are by now. Empty where the service does not count them.
 */
export function eventPosition(
  { olderCount, newerEventId }: Pick<EventAnswer, "olderCount" | "newerEventId">,
  { readCount, count = readCount }: { readCount: number; count?: number | undefined },
): string {
  if (olderCount === undefined) return "";
  const isCounted = olderCount < countedOlder;
  const place = isCounted ? olderCount + 1 : readCount;
  const kept = `${fullNumber(Math.max(count, place))} kept`;
  return isCounted || newerEventId === "" ? `${fullNumber(place)} of ${kept}` : kept;
}
