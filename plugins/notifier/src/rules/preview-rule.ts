import type { MessageInitShape } from "@bufbuild/protobuf";
import { dayMs, timestamp, type Host, hourMs, startOfHour } from "@faultline/plugin";
import {
  ErrorStatus,
  NotificationTrigger,
  type NotificationTriggerStateSchema,
  type PreviewNotificationRuleResponseSchema,
  ErrorService,
  ActivityKind,
  NotificationChannelState,
  type Error as TrackedError,
  type NotificationSuppressionReason,
} from "@faultline/proto";
import { cleanLine } from "@faultline/plugin/text";
import { headlineOf, Kinds, notReplayedBecause } from "../kinds.ts";
import { spikeOf, triggersOf } from "../rule.ts";
import { matchingChanges } from "../signals/event-filter.ts";
import { askedValues } from "../signals/new-values.ts";
import { sampledMinutes, countedInHours, stepSpike, type Episode, type SpikeLimit } from "../signals/spike.ts";
import { suppressionName } from "../rest/suppression-names.ts";
import { readPastErrors, statusAt, type PastErrors, type PastError, timeOf } from "./past-errors.ts";
import type { SignalDetail } from "../signal-detail.ts";
import { afterDigest, firstDigestMinutes, fullBudget } from "../channels/budget.ts";
import { reportedKey } from "../signals/decisions.ts";
import { decide, repeatMs, type OpenRule } from "../signals/decide.ts";
import type { ChannelRow, KindNumber, RuleRow, SignalRow } from "../tables.ts";

const days = 7;
const shown = 50;

/** The newest changes, which are replayed. A filter on events costs two reads for each. */
const mostChanges = 1_000;

/**
 * The messages that a rule would have sent within the last seven days. Reads at most 1,000 errors, and stores nothing.
 */
export async function previewRule(
  host: Host,
  of: { rule: RuleRow; channels: readonly ChannelRow[]; signal: AbortSignal | undefined },
): Promise<MessageInitShape<typeof PreviewNotificationRuleResponseSchema>> {
  const { rule, channels, signal } = of;
  const projectId = rule.project_id;
  const now = host.clock.now();
  const kinds = new Kinds(host);
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
        ...kinds.named(change.notification_trigger),
        headline: headlineOf(change),
        errorId: change.error_id,
        title: cleanLine(errors.get(change.error_id)?.error.title ?? "", 200),
        time: timestamp(change.happened_at),
        messageCount,
        digestCount,
      })),
    suppressions: [...replayed.suppressed].map(([reason, count]) => ({ reason: suppressionName(reason), count })),
    notReplayed: notReplayed(rule, kinds),
    startTime: timestamp(start),
    examinedErrorCount: past.errors.length,
  };
}

/** The changes that the rule concerns, with separate ids. */
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

const isReplayed = (rule: RuleRow, trigger: KindNumber) => reasonAgainst(rule, trigger) === "";

/** Why some or all past reports of a trigger can no longer be found. Empty if they can. */
function reasonAgainst(rule: RuleRow, trigger: KindNumber): string {
  if (trigger === NotificationTrigger.CREATED && askedValues(rule.filter).length > 0) {
    return "Only their first events are replayed. The times at which errors began to match later are not kept.";
  }
  if (trigger !== NotificationTrigger.SPIKE) return notReplayedBecause(trigger);
  const limit = spikeOf(rule);
  if (limit?.unit === "users") return "Users are counted only during a spike and are not kept by the hour.";
  return limit && limit.minutes > sampledMinutes ? "" : "Counts per minute are kept for only three hours.";
}

const notReplayed = (
  rule: RuleRow,
  kinds: Kinds,
): Exclude<MessageInitShape<typeof NotificationTriggerStateSchema>, { $typeName: string }>[] =>
  triggersOf(rule).flatMap((trigger) => {
    const reason = reasonAgainst(rule, trigger);
    return reason === ""
      ? []
      : [{ ...kinds.named(trigger), label: kinds.of(trigger)?.label ?? "", allowed: false, reason }];
  });

/** The number of errors for which hours are read. */
const mostErrors = 200;

const longestHours = 24;

/** The spikes of errors since a time, to the hour, for limits that count whole hours. */
async function pastSpikes(
  { invoke }: Pick<Host, "invoke">,
  of: {
    projectId: number;
    errors: readonly PastError[];
    limit: SpikeLimit;
    start: number;
    now: number;
    signal: AbortSignal | undefined;
  },
): Promise<PastChange[]> {
  const { projectId, limit, start, now, signal } = of;
  const first = startOfHour(start) - longestHours * hourMs;
  const hourCount = (startOfHour(now) - first) / hourMs + 1;
  const changes: PastChange[] = [];
  const large = of.errors.filter(({ error }) => error.eventCount >= limit.count).slice(0, mostErrors);
  for (const past of large) {
    const { errorId } = past.error;
    const asked = { projectId, errorId, startTime: timestamp(first), hourCount };
    const { counts } = await invoke(ErrorService.method.getErrorStats, asked, signal);
    const isOpenAt = (at: number) => statusAt(past, at) === ErrorStatus.UNRESOLVED;
    for (const { at, detail } of spikesIn(counts, { first, limit, now, isOpenAt })) {
      if (at < start) continue;
      changes.push({
        project_id: projectId,
        error_id: errorId,
        notification_trigger: NotificationTrigger.SPIKE,
        status: ErrorStatus.UNRESOLVED,
        happened_at: at,
        detail: JSON.stringify(detail),
      });
    }
  }
  return changes;
}

/**
 * The spikes that the checks of each minute would have reported of an error, from its hours. Within an hour the count
 * only grows, so it is checked twice: before its first event and after its last.
 */
export function spikesIn(
  counts: readonly number[],
  at: { first: number; limit: SpikeLimit; now: number; isOpenAt: (at: number) => boolean },
): { at: number; detail: SignalDetail }[] {
  const { first, limit, now, isOpenAt } = at;
  const hours = limit.minutes / 60;
  const found: { at: number; detail: SignalDetail }[] = [];
  let episode: Episode | undefined;
  for (const hour of counts.keys()) {
    const begin = first + hour * hourMs;
    const looks = [
      { time: begin, counted: countedInHours([...counts.slice(0, hour), 0], hours) },
      { time: Math.min(begin + hourMs - 1, now), counted: countedInHours(counts.slice(0, hour + 1), hours) },
    ];
    for (const { time, counted } of looks) {
      const most = episode?.most ?? 0;
      const look = { counted: isOpenAt(time) ? counted : 0, limit, now: time, isMaintenance: false };
      const step = stepSpike(episode, look);
      episode = step.episode;
      if (step.report === undefined) continue;
      const isOver = step.report === "over";
      const spike = { count: isOver ? most : counted, unit: limit.unit, minutes: limit.minutes };
      found.push({ at: time, detail: { spike, ...(isOver && { isOver: true as const }) } });
    }
  }
  return found;
}

type PastChange = Omit<SignalRow, "id" | "done_at" | "rule_id" | "made_by">;

/** The transitions of errors since a time, and the first new error of each release. Unordered. */
function pastChanges(errors: readonly PastError[], { projectId, start }: { projectId: number; start: number }) {
  const changes: PastChange[] = [];
  const add = (errorId: string, at: number, change: Pick<PastChange, "notification_trigger" | "status" | "detail">) => {
    if (at >= start) changes.push({ project_id: projectId, error_id: errorId, happened_at: at, ...change });
  };
  const firstOf = new Map<string, { errorId: string; at: number }>();
  for (const { error, entries } of errors) {
    const { errorId, firstRelease } = error;
    const createdAt = timeOf(error.firstSeenTime);
    add(errorId, createdAt, made(NotificationTrigger.CREATED));
    if (firstRelease !== "" && createdAt < (firstOf.get(firstRelease)?.at ?? Infinity)) {
      firstOf.set(firstRelease, { errorId, at: createdAt });
    }
    for (const { kind, time, status } of entries) {
      const trigger = kind === ActivityKind.REOPENED ? NotificationTrigger.REOPENED : NotificationTrigger.STATUS;
      add(errorId, timeOf(time), made(trigger, status));
    }
  }
  for (const [release, { errorId, at }] of firstOf) {
    add(errorId, at, { ...made(NotificationTrigger.RELEASE), detail: JSON.stringify({ release }) });
  }
  return changes;
}

const made = (trigger: NotificationTrigger, status: ErrorStatus = ErrorStatus.UNRESOLVED) => ({
  notification_trigger: trigger,
  status,
  detail: "",
});

/** The outcome of a replayed change, by channel. */
interface ReplayedChange {
  readonly change: SignalRow;
  messageCount: number;
  digestCount: number;
}

interface Replayed {
  /** The changes that would have been reported. */
  readonly changes: readonly ReplayedChange[];
  readonly digestCount: number;
  /** How many changes each reason would have stopped. */
  readonly suppressed: ReadonlyMap<NotificationSuppressionReason, number>;
}

/**
 * Decides about past changes in sequence, like evaluateSignals about new changes, with working channels and full
 * budgets at the start. The changes that a channel holds at the end make one more digest.
 */
function replay(of: {
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
