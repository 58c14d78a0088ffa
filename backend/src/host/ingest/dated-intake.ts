import { millisecondsOf, timestamp, type Intake } from "@faultline/plugin";
import type { ErrorEvent } from "@faultline/proto";

type Received = Pick<ErrorEvent, "receivedTime">;

/**
 * The intake with no item dated before `earliest`, in milliseconds since 1970. Items that arrive
 * while the clock is behind would otherwise look too old once it is set right, and be deleted too early.
 */
export function datedIntake(intake: Intake, earliest: number): Intake {
  const isEarly = (item: Received) => isBefore(item, earliest);
  const { events, sessions, feedback } = intake;
  if (!events.some(isEarly) && !sessions.some(isEarly) && !feedback.some(isEarly)) return intake;
  const dated = <Item extends Received>(items: readonly Item[]): readonly Item[] =>
    items.map((item) => (isEarly(item) ? { ...item, receivedTime: timestamp(earliest) } : item));
  return { ...intake, events: dated(events), sessions: dated(sessions), feedback: dated(feedback) };
}

function isBefore({ receivedTime }: Received, time: number): boolean {
  return receivedTime !== undefined && millisecondsOf(receivedTime) < time;
}
