import type { MessageInitShape } from "@bufbuild/protobuf";
import { dayMs, timestamp, type Host } from "@faultline/plugin";
import {
  ErrorStatus,
  NotificationTrigger,
  type NotificationTriggerStateSchema,
  type PreviewNotificationRuleResponseSchema,
} from "@faultline/proto";
import { cleanLine } from "@faultline/plugin/text";
import { headlineOf, kindOf } from "../messages/kinds.ts";
import { spikeOf, triggersOf } from "../rules/rule.ts";
import { matchingChanges } from "../signals/event-filter.ts";
import { askedValues } from "../signals/new-values.ts";
import { sampledMinutes } from "../signals/spike.ts";
import { suppressionName } from "../rest/suppression-names.ts";
import type { ChannelRow, RuleRow, SignalRow } from "../tables.ts";
import { pastChanges, type PastChange } from "./past-changes.ts";
import { readPastErrors, statusAt, type PastErrors } from "./past-errors.ts";
import { pastSpikes } from "./past-spikes.ts";
import { replay } from "./replay.ts";

const days = 7;
const shown = 50;

/** Changes that are replayed, the newest; a filter on events costs two reads for each. */
const mostChanges = 1_000;

/** What a rule would have sent within the last seven days. Reads at most 1,000 errors, and stores nothing. */
export async function previewRule(
  host: Host,
  of: { rule: RuleRow; channels: readonly ChannelRow[]; signal: AbortSignal | undefined },
): Promise<MessageInitShape<typeof PreviewNotificationRuleResponseSchema>> {
  const { rule, channels, signal } = of;
  const projectId = rule.project_id;
  const now = host.clock.now();
  const past = await readPastErrors(host, { projectId, since: now - days * dayMs, signal });
  const { changes, start } = await changesOf(host, { rule, past, now, signal });
  const { filter } = rule;
  const matching = filter === "" ? undefined : await matchingChanges(host, { projectId, filter, changes, signal });
  const errors = new Map(past.errors.map((one) => [one.error.errorId, one]));
  const replayed = replay({
    changes,
    rule: { rule, matching },
    channels,
    errors: new Map(past.errors.map(({ error }) => [error.errorId, error])),
    statusAt(errorId, at) {
      const error = errors.get(errorId);
      return error ? statusAt(error, at) : ErrorStatus.UNRESOLVED;
    },
    now,
  });
  return {
    messageCount: replayed.changes.reduce((sum, { messageCount }) => sum + messageCount, 0),
    digestCount: replayed.digestCount,
    notifications: replayed.changes
      .slice(-shown)
      .toReversed()
      .map(({ change, messageCount, digestCount }) => ({
        trigger: change.notification_trigger,
        headline: headlineOf(kindOf(change)),
        errorId: change.error_id,
        title: cleanLine(errors.get(change.error_id)?.error.title ?? "", 200),
        time: timestamp(change.happened_at),
        messageCount,
        digestCount,
      })),
    suppressions: [...replayed.suppressed].map(([reason, count]) => ({ reason: suppressionName(reason), count })),
    notReplayed: notReplayed(rule),
    startTime: timestamp(start),
    examinedErrorCount: past.errors.length,
  };
}

/** The changes that the rule is about, with ids of their own. */
async function changesOf(
  host: Host,
  of: { rule: RuleRow; past: PastErrors; now: number; signal: AbortSignal | undefined },
): Promise<{ changes: SignalRow[]; start: number }> {
  const { rule, past, now, signal } = of;
  const projectId = rule.project_id;
  const { errors, start } = past;
  const triggers = triggersOf(rule);
  const limit = spikeOf(rule);
  const all: PastChange[] = pastChanges(errors, { projectId, start });
  if (limit && isReplayed(rule, NotificationTrigger.SPIKE)) {
    all.push(...(await pastSpikes(host, { projectId, errors, limit, start, now, signal })));
  }
  const asked = all
    .filter((change) => triggers.includes(change.notification_trigger))
    .toSorted((one, other) => one.happened_at - other.happened_at);
  const changes = asked
    .slice(-mostChanges)
    .map((change, id) => ({ ...change, id, made_by: "", done_at: null, rule_id: 0 }));
  return { changes, start: asked.length > mostChanges ? (changes[0]?.happened_at ?? start) : start };
}

const reasons: Readonly<Partial<Record<NotificationTrigger, string>>> = {
  [NotificationTrigger.MILESTONE]: "The times of the tenth, hundredth, ... event are not kept.",
  [NotificationTrigger.REFUSED]: "Refused events are counted by hour, without the minute of the first event.",
  [NotificationTrigger.QUOTA_NEAR]: "The times at which limits were reached are not kept.",
  [NotificationTrigger.QUOTA_REACHED]: "The times at which limits were reached are not kept.",
  [NotificationTrigger.BACKEND_FAILING]: "Failures of external systems are not kept.",
  [NotificationTrigger.CHANNEL_FAILING]: "Failures of channels are not kept.",
};

const isReplayed = (rule: RuleRow, trigger: NotificationTrigger) => reasonAgainst(rule, trigger) === "";

/** Why what a trigger reported, or some of it, cannot be found any more; empty: it can. */
function reasonAgainst(rule: RuleRow, trigger: NotificationTrigger): string {
  if (trigger === NotificationTrigger.CREATED && askedValues(rule.filter).length > 0) {
    return "Only their first events are replayed. The times at which errors began to match later are not kept.";
  }
  if (trigger !== NotificationTrigger.SPIKE) return reasons[trigger] ?? "";
  const limit = spikeOf(rule);
  if (limit?.unit === "users") return "Users are counted only during a spike and are not kept by the hour.";
  return limit && limit.minutes > sampledMinutes ? "" : "Counts per minute are kept for only three hours.";
}

const notReplayed = (
  rule: RuleRow,
): Exclude<MessageInitShape<typeof NotificationTriggerStateSchema>, { $typeName: string }>[] =>
  triggersOf(rule).flatMap((trigger) => {
    const reason = reasonAgainst(rule, trigger);
    return reason === "" ? [] : [{ trigger, allowed: false, reason }];
  });
