import type { NotificationSuppressionReason } from "@faultline/proto";
import { startOfHour } from "@faultline/plugin";
import { sql, type Kysely } from "kysely";
import type { BudgetState } from "../channels/budget.ts";
import type { NewDelivery } from "../deliveries/new-delivery.ts";
import type { ChannelRow, SignalRow, Tables } from "../tables.ts";

/** A change and a channel that it concerns. */
interface ChangeOfChannel {
  readonly channelId: number;
  readonly signal: SignalRow;
}

/** The outcomes of changes of errors. */
export interface Decisions {
  readonly deliveries: NewDelivery[];
  readonly held: ChangeOfChannel[];
  /** Changes that are not repeated within a time. Each error, trigger and channel appears once. */
  readonly reported: ChangeOfChannel[];
  readonly suppressed: {
    readonly signal: SignalRow;
    readonly ruleId: number;
    readonly reason: NotificationSuppressionReason;
  }[];
  /** Which errors matched the filters of rules for new errors now. */
  readonly met: { readonly ruleId: number; readonly errorId: string }[];
  /** The budgets that were spent, by channel. */
  readonly budgets: Map<number, BudgetState>;
}

const rowsAtOnce = 500;

/** Identifies a change of an error in a channel. */
export const reportedKey = (
  channelId: number,
  { error_id: errorId, notification_trigger: trigger }: Pick<SignalRow, "error_id" | "notification_trigger">,
): string => `${channelId} ${trigger} ${errorId}`;

/** Identifies an error that a rule matched. */
export const metKey = (ruleId: number, { error_id: errorId }: Pick<SignalRow, "error_id">): string =>
  `${ruleId} ${errorId}`;

/** The errors among these that the rules of a project recently matched. */
export async function metBefore(
  tables: Kysely<Tables>,
  { ruleIds, errorIds }: { ruleIds: readonly number[]; errorIds: readonly string[] },
): Promise<Set<string>> {
  if (ruleIds.length === 0 || errorIds.length === 0) return new Set();
  const rows = await tables
    .selectFrom("notifier_met")
    .selectAll()
    .where("rule_id", "in", ruleIds)
    .where("error_id", "in", errorIds)
    .execute();
  return new Set(rows.map((row) => metKey(row.rule_id, row)));
}

/** The changes that the channels of a project were sent since a time. */
export async function reportedSince(
  tables: Kysely<Tables>,
  { channels, errorIds, since }: { channels: readonly ChannelRow[]; errorIds: readonly string[]; since: number },
): Promise<Set<string>> {
  if (channels.length === 0) return new Set();
  const about = [...errorIds, ""]; // "" for changes of the project
  const rows = await tables
    .selectFrom("notifier_reported")
    .selectAll()
    .where(
      "channel_id",
      "in",
      channels.map(({ id }) => id),
    )
    .where("error_id", "in", about)
    .where("reported_at", ">", since)
    .execute();
  return new Set(rows.map((row) => reportedKey(row.channel_id, row)));
}

/** Writes the decisions. Each change ends as sent, held or suppressed. */
export async function writeDecisions(tables: Kysely<Tables>, decisions: Decisions, now: number): Promise<void> {
  const { deliveries, held, reported, suppressed, met, budgets } = decisions;
  if (deliveries.length > 0) await tables.insertInto("notifier_delivery").values(deliveries).execute();
  for (const { channelIds, signalIds } of products(held)) {
    await tables
      .insertInto("notifier_held")
      .columns(["channel_id", "signal_id", "error_id", "notification_trigger"])
      .expression(
        joined(tables, channelIds, signalIds).select([
          "notifier_channel.id",
          "notifier_signal.id as signal_id",
          "error_id",
          "notification_trigger",
        ]),
      )
      .execute();
  }
  for (const { channelIds, signalIds } of products(reported)) {
    await tables
      .insertInto("notifier_reported")
      .columns(["channel_id", "error_id", "notification_trigger", "reported_at"])
      .expression(
        joined(tables, channelIds, signalIds).select([
          "notifier_channel.id",
          "error_id",
          "notification_trigger",
          sql.lit(now).as("reported_at"),
        ]),
      )
      .onConflict((conflict) =>
        conflict.columns(["channel_id", "error_id", "notification_trigger"]).doUpdateSet({ reported_at: now }),
      )
      .execute();
  }
  await writeSuppressed(tables, suppressed, now);
  await writeMet(tables, met, now);
  for (const [channelId, state] of budgets) {
    const { budget, budget_at, digest_at, digest_minutes } = state;
    await tables
      .updateTable("notifier_channel")
      .set({ budget, budget_at, digest_at, digest_minutes })
      .where("id", "=", channelId)
      .execute();
  }
}

/**
 * Groups pairs so that within a group each channel has each change. In a storm, 20 channels have 100 changes: the
 * database makes the 2,000 rows from 120 ids, and needs no statement with 8,000 values.
 */
function products(pairs: readonly ChangeOfChannel[]): { channelIds: number[]; signalIds: number[] }[] {
  const ofSignals = [...Map.groupBy(pairs, ({ signal }) => signal.id)].map(([signalId, own]) => ({
    signalId,
    channelIds: own.map(({ channelId }) => channelId),
  }));
  return [...Map.groupBy(ofSignals, ({ channelIds }) => channelIds.join()).values()].map((group) => ({
    channelIds: group[0]?.channelIds ?? [],
    signalIds: group.map(({ signalId }) => signalId),
  }));
}

const joined = (tables: Kysely<Tables>, channelIds: readonly number[], signalIds: readonly number[]) =>
  tables
    .selectFrom(["notifier_signal", "notifier_channel"])
    .where("notifier_signal.id", "in", signalIds)
    .where("notifier_channel.id", "in", channelIds)
    .orderBy("notifier_signal.id");

async function writeMet(tables: Kysely<Tables>, met: Decisions["met"], now: number): Promise<void> {
  const rows = met.map(({ ruleId, errorId }) => ({ rule_id: ruleId, error_id: errorId, met_at: now }));
  for (let start = 0; start < rows.length; start += rowsAtOnce) {
    await tables
      .insertInto("notifier_met")
      .values(rows.slice(start, start + rowsAtOnce))
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
}

async function writeSuppressed(
  tables: Kysely<Tables>,
  suppressed: Decisions["suppressed"],
  now: number,
): Promise<void> {
  const counted = Map.groupBy(suppressed, ({ signal, ruleId, reason }) =>
    [signal.project_id, ruleId, signal.error_id, signal.notification_trigger, reason].join(" "),
  );
  const rows = [...counted.values()].flatMap((same) =>
    same.slice(0, 1).map(({ signal, ruleId, reason }) => ({
      project_id: signal.project_id,
      rule_id: ruleId,
      error_id: signal.error_id,
      notification_trigger: signal.notification_trigger,
      reason,
      hour_at: startOfHour(now),
      n: same.length,
    })),
  );
  for (let start = 0; start < rows.length; start += rowsAtOnce) {
    await tables
      .insertInto("notifier_suppression")
      .values(rows.slice(start, start + rowsAtOnce))
      .onConflict((conflict) =>
        conflict
          .columns(["project_id", "rule_id", "error_id", "notification_trigger", "reason", "hour_at"])
          .doUpdateSet({ n: sql<number>`notifier_suppression.n + excluded.n` }),
      )
      .execute();
  }
}
