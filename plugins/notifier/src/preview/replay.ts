import {
  NotificationChannelState,
  type Error as TrackedError,
  type ErrorStatus,
  type NotificationSuppressionReason,
} from "@faultline/proto";
import { afterDigest, firstDigestMinutes, fullBudget } from "../deliveries/budget.ts";
import { reportedKey } from "../signals/decisions.ts";
import { decide, repeatMs, type OpenRule } from "../signals/decide.ts";
import type { ChannelRow, SignalRow } from "../tables.ts";

/** What a change would have come to, by channels. */
export interface ReplayedChange {
  readonly change: SignalRow;
  messageCount: number;
  digestCount: number;
}

export interface Replayed {
  /** Those that would have been reported. */
  readonly changes: readonly ReplayedChange[];
  readonly digestCount: number;
  /** How many changes each reason would have stopped. */
  readonly suppressed: ReadonlyMap<NotificationSuppressionReason, number>;
}

/**
 * Decides about past changes as evaluateSignals does about new ones, one after the other, with channels that work and have their
 * whole budget at the start. What a channel holds at the end is one more digest.
 */
export function replay(of: {
  readonly changes: readonly SignalRow[];
  readonly rule: OpenRule;
  readonly channels: readonly ChannelRow[];
  readonly errors: ReadonlyMap<string, TrackedError>;
  readonly statusAt: (errorId: string, at: number) => ErrorStatus;
  readonly now: number;
}): Replayed {
  const { rule, errors, now } = of;
  const inOrder = of.changes.toSorted((one, other) => one.happened_at - other.happened_at || one.id - other.id);
  const start = inOrder[0]?.happened_at ?? now;
  const channels = new Map(of.channels.map((channel) => [channel.id, fresh(channel, start)]));
  const held = new Map<number, number>();
  const reportedAt = new Map<string, number>();
  const suppressed = new Map<NotificationSuppressionReason, number>();
  const replayed = new Map<number, ReplayedChange>();
  let digestCount = 0;
  const sendDigests = (until: number) => {
    for (const [id, before] of channels) {
      let channel = before;
      while (channel.digest_at !== null && channel.digest_at <= until) {
        const count = held.get(id) ?? 0;
        if (count > 0) digestCount += 1;
        held.delete(id);
        channel = { ...channel, ...afterDigest(channel, channel.digest_at, count) };
      }
      channels.set(id, channel);
    }
  };
  for (const change of inOrder) {
    const at = change.happened_at;
    sendDigests(at);
    const error = errors.get(change.error_id);
    const decisions = decide({
      signals: [change],
      errors: new Map(error ? [[change.error_id, { ...error, status: of.statusAt(change.error_id, at) }]] : []),
      rules: [rule],
      channels: [...channels.values()],
      reported: new Set([...reportedAt].flatMap(([key, time]) => (time > at - repeatMs ? [key] : []))),
      met: new Set(),
      project: { path: "", url: "" },
      isMaintenance: false,
      now: at,
    });
    for (const { reason } of decisions.suppressed) suppressed.set(reason, (suppressed.get(reason) ?? 0) + 1);
    for (const { channelId } of decisions.reported) reportedAt.set(reportedKey(channelId, change), at);
    for (const { channelId } of decisions.held) held.set(channelId, (held.get(channelId) ?? 0) + 1);
    for (const [id, state] of decisions.budgets) {
      const channel = channels.get(id);
      if (channel) channels.set(id, { ...channel, ...state });
    }
    const counts = { messageCount: decisions.deliveries.length, digestCount: decisions.held.length };
    if (counts.messageCount + counts.digestCount > 0) replayed.set(change.id, { change, ...counts });
  }
  sendDigests(now);
  return { changes: [...replayed.values()], digestCount: digestCount + held.size, suppressed };
}

const fresh = (channel: ChannelRow, at: number): ChannelRow => ({
  ...channel,
  state: NotificationChannelState.ACTIVE,
  budget: fullBudget,
  budget_at: at,
  digest_at: null,
  digest_minutes: firstDigestMinutes,
});
