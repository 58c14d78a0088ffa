import type { TrackedEvent } from "../messages.ts";
import { exactTime } from "../time/time-format.ts";

const minute = 60_000;
const day = 1_440 * minute;

/** The note on an event with a sent time outside the limits, naming the limit that dates the event. Otherwise empty. */
export function timeBoundNote(
  event: Pick<TrackedEvent, "timeBound" | "occurredTime" | "receivedTime"> | undefined,
  zone: string,
): string {
  const { timeBound, occurredTime, receivedTime } = event ?? {};
  if (timeBound === undefined || occurredTime === undefined || receivedTime === undefined) return "";
  const age = Date.parse(receivedTime) - Date.parse(occurredTime);
  const limit = age > 0 ? count(age / day, "day", "before") : count(-age / minute, "minute", "after");
  const sent =
    timeBound.sentTime === undefined
      ? "The time that was sent is outside the limits."
      : `The SDK sent ${exactTime(Date.parse(timeBound.sentTime), zone)}.`;
  return `${sent} An event is dated at most ${limit} it is received, and this one is at that limit.`;
}

function count(amount: number, unit: string, side: string): string {
  const whole = Math.round(amount);
  return `${whole} ${unit}${whole === 1 ? "" : "s"} ${side}`;
}
