import { millisecondsOf, timestamp, type IngestQueue } from "@faultline/plugin";
import type { ErrorEvent } from "@faultline/proto";
import type { AgeClock } from "../clock/age-clock.ts";

type Received = Pick<ErrorEvent, "receivedTime">;

/**
 * Dates what arrives while the clock is behind: once the clock is set right, it would else look as old as the clock was
 * wrong, and be deleted too early.
 */
export function datedQueue(queue: IngestQueue, ages: AgeClock): IngestQueue {
  return {
    accept(intake) {
      const earliest = ages.earliestReceipt();
      const dated = <Item extends Received>(items: readonly Item[]): readonly Item[] =>
        items.some((item) => isBefore(item, earliest))
          ? items.map((item) => (isBefore(item, earliest) ? { ...item, receivedTime: timestamp(earliest) } : item))
          : items;
      const { events, sessions, aggregates, feedback } = intake;
      return queue.accept({
        events: dated(events),
        sessions: dated(sessions),
        aggregates,
        feedback: dated(feedback),
      });
    },
  };
}

function isBefore({ receivedTime }: Received, time: number): boolean {
  return receivedTime !== undefined && millisecondsOf(receivedTime) < time;
}
