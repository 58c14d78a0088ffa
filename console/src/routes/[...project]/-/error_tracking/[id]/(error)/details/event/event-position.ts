import type { EventAnswer } from "#lib/messages.ts";
import { fullNumber } from "#lib/number-format.ts";

/** The most older events of an event that the service counts. */
const countedOlder = 10_000;

/**
 * `12 of 340 kept`: the place of an event among its error's events, starting with the oldest. `readCount` is their
 * number when the event was read, `count` the current number. Empty if the service does not count them.
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
