import type { ProjectPlace } from "@faultline/plugin/text";
import {
  type Error as TrackedError,
  NotificationChannelState,
  NotificationSuppressionReason as Reason,
} from "@faultline/proto";
import { spend } from "../channels/budget.ts";
import { newDelivery } from "../deliveries/new-delivery.ts";
import { isAboutProject, isEpisode, isMadeByEvent, isNotice } from "../kinds.ts";
import { errorMessage, projectMessage } from "../messages/message-of-change.ts";
import { channelIdsOf, triggersOf } from "../rule.ts";
import { type Decisions, metKey, reportedKey } from "./decisions.ts";
import { detailOf } from "../signal-detail.ts";
import { gate } from "./gate.ts";
import { isFirstMatch } from "./new-values.ts";
import type { ChannelRow, RuleRow, SignalRow } from "../tables.ts";

/** The same change of the same error is sent to a channel at most once in this time. */
export const repeatMs = 30 * 60_000;

/** A rule with the ids of the changes that match its filter. Without a filter, all changes match. */
export interface OpenRule {
  readonly rule: RuleRow;
  readonly matching: ReadonlySet<number> | undefined;
}

/** Decides which changes are sent, held for a digest, or not reported. Pure. */
export function decide(parts: {
  readonly signals: readonly SignalRow[];
  readonly errors: ReadonlyMap<string, TrackedError>;
  readonly rules: readonly OpenRule[];
  readonly channels: readonly ChannelRow[];
  /** Keys of `reportedKey`. */
  readonly reported: ReadonlySet<string>;
  readonly project: ProjectPlace;
  /** Keys of `metKey` for the errors that rules had matched before. */
  readonly met: ReadonlySet<string>;
  /** The project is in a maintenance window. */
  readonly isMaintenance: boolean;
  readonly now: number;
}): Decisions {
  const { signals, errors, rules, project, isMaintenance, now } = parts;
  const channels = new Map(parts.channels.map((channel) => [channel.id, channel]));
  const reported = new Set(parts.reported);
  const met = new Set(parts.met);
  const decisions: Decisions = { deliveries: [], held: [], reported: [], suppressed: [], met: [], budgets: new Map() };
  for (const one of signals) {
    const error = errors.get(one.error_id);
    for (const { rule, matching } of rules) {
      if (!concerns(rule, one) || (isOfValue(one) && met.has(metKey(rule.id, one)))) continue;
      const suppress = (reason: Reason) => decisions.suppressed.push({ signal: one, ruleId: rule.id, reason });
      const isMatch = matching === undefined || matching.has(one.id);
      if (isMatch && matching && isMadeByEvent(one.notification_trigger)) {
        met.add(metKey(rule.id, one));
        decisions.met.push({ ruleId: rule.id, errorId: one.error_id });
      }
      const reason = gate(one, error, { isMatch, isMaintenance });
      if (reason !== undefined) {
        suppress(reason);
        continue;
      }
      const failing = detailOf(one).channel?.id;
      for (const channelId of channelIdsOf(rule)) {
        const channel = channels.get(channelId);
        if (!channel || channelId === failing) continue; // the channel was deleted, or the message is about it
        const isOwnThing = isOfValue(one) || isNotice(one.notification_trigger);
        const key = isOwnThing ? `${channelId} change ${one.id}` : reportedKey(channelId, one);
        const isOnce = isReportedOnce(one);
        if (channel.state !== NotificationChannelState.ACTIVE) suppress(Reason.CHANNEL_DISABLED);
        else if ((isOnce || isOwnThing) && reported.has(key)) suppress(Reason.REPEATED);
        else {
          reported.add(key);
          if (isOnce) decisions.reported.push({ channelId, signal: one });
          const { isHeld, state } = spend(channel, now);
          channels.set(channelId, { ...channel, ...state });
          decisions.budgets.set(channelId, state);
          if (isHeld) decisions.held.push({ channelId, signal: one });
          else {
            const message = error
              ? errorMessage(one, { error, rule, project })
              : projectMessage(one, { rule, project });
            decisions.deliveries.push(newDelivery(channel, { message, errorId: one.error_id, changeCount: 1, now }));
          }
        }
      }
    }
  }
  return decisions;
}

/** Whether a rule is about a change. */
export function concerns(rule: RuleRow, change: SignalRow): boolean {
  const { value } = detailOf(change);
  if (!triggersOf(rule).includes(change.notification_trigger)) return false;
  return (change.rule_id === 0 || change.rule_id === rule.id) && (!value || isFirstMatch(rule.filter, value));
}

/**
 * Whether a channel gets the change once in `repeatMs`. A lasting condition is reported at its beginning and end,
 * changes of the project follow separate rules, and each rule reports a new value of an error once, although the
 * channel may have got the new error before.
 */
function isReportedOnce(change: SignalRow): boolean {
  const kind = change.notification_trigger;
  return !isEpisode(kind) && !isAboutProject(kind) && !isNotice(kind) && !isOfValue(change);
}

const isOfValue = (change: SignalRow): boolean => detailOf(change).value !== undefined;
