import { NotificationDeliveryState } from "@faultline/proto";
import type { ChannelKind } from "./channel-kind.ts";
import type { ChannelRow, DeliveryRow } from "../tables.ts";
import type { Tried } from "./call-channel.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/**
 * The waits after consecutive failed tries of a channel, 76 hours in total, from Standard Webhooks. The last wait
 * repeats.
 */
const waits = [
  5_000,
  5 * minuteMs,
  30 * minuteMs,
  2 * hourMs,
  5 * hourMs,
  10 * hourMs,
  14 * hourMs,
  20 * hourMs,
  24 * hourMs,
];

/** Tries of a message with unknown outcome, if the other side would show it twice. */
const unknownTries = 2;

/** The consequence of a try. */
export interface Verdict {
  readonly isAccepted: boolean;
  /** PENDING means that it is tried again. */
  readonly state: NotificationDeliveryState;
  readonly reason: string;
  /** How long the channel sends nothing. */
  readonly waitMs: number;
  /** Why the channel stops. Undefined if it does not. */
  readonly disabledBecause?: string;
}

export function verdictOf(
  { outcome, answer }: Tried,
  at: {
    kind: Pick<ChannelKind, "isIdempotent" | "expiresAfterMs">;
    channel: Pick<ChannelRow, "failed_tries">;
    delivery: Pick<DeliveryRow, "tries" | "created_at">;
    now: number;
    /** From 0 to 1. */
    random?: number;
  },
): Verdict {
  const { kind, channel, delivery, now, random = Math.random() } = at;
  const failed = (reason: string): Verdict => ({
    isAccepted: false,
    state: NotificationDeliveryState.FAILED,
    reason,
    waitMs: 0,
  });
  switch (outcome.is) {
    case "sent":
      return { isAccepted: true, state: NotificationDeliveryState.SENT, reason: "", waitMs: 0 };
    case "drop":
      return failed(outcome.reason);
    case "disable":
      // The message, and later messages, wait until somebody has changed the channel.
      return { ...pending(0), disabledBecause: outcome.reason };
    case "unknown":
      if (!kind.isIdempotent && delivery.tries >= unknownTries) return failed(`It may have arrived. ${answer}`);
      break;
    case "retry":
      break;
  }
  if (now - delivery.created_at > kind.expiresAfterMs)
    return failed(`Delivery was abandoned after ${Math.round(kind.expiresAfterMs / hourMs)} hours. ${answer}`);
  const wait = (waits[channel.failed_tries] ?? waits.at(-1) ?? 0) * (0.8 + 0.4 * random);
  return pending(outcome.is === "retry" ? Math.max(wait, outcome.afterMs ?? 0) : wait);
}

const pending = (waitMs: number): Verdict => ({
  isAccepted: false,
  state: NotificationDeliveryState.PENDING,
  reason: "",
  waitMs: Math.round(waitMs),
});
