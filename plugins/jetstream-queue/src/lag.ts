import type { Lag } from "@faultline/plugin";
import type { Servers } from "./connection.ts";
import { intakeStream } from "./names.ts";
import { Watch } from "./watch.ts";

/** Measures each second how far storing is behind. */
export function watchLag(): Watch<Lag> {
  return new Watch(askLag, { everyMs: 1_000, onFault: "the queue does not report how many messages are waiting" });
}

/** The stream holds exactly what is not stored yet, so its first message is the oldest that waits. */
export async function askLag({ manager }: Servers): Promise<Lag> {
  const askedAt = performance.now();
  const { state, ts } = await manager.streams.info(intakeStream);
  const pending = state.messages;
  const acceptedAt = state.last_seq === 0 ? 0 : Date.parse(state.last_ts);
  const storedAt = pending === 0 ? acceptedAt : Date.parse(state.first_ts);
  const reportedAt = ts === undefined ? Date.now() : Date.parse(ts);
  return {
    acceptedAt,
    storedAt,
    pending,
    lagMs: pending === 0 ? 0 : Math.max(reportedAt - storedAt, 0),
    reportedAt,
    askedAt,
  };
}
