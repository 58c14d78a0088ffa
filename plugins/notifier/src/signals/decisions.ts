import type { NotificationSuppressionReason } from "@faultline/proto";
import { startOfHour } from "@faultline/plugin";
import { sql, type Kysely } from "kysely";
import type { BudgetState } from "../deliveries/budget.ts";
import type { NewDelivery } from "../deliveries/new-delivery.ts";
import type { ChannelRow, SignalRow, Tables } from "../tables.ts";

/** What becomes of changes of errors. */
export interface Decisions {
  readonly deliveries: NewDelivery[];
  readonly held: { readonly channelId: number; readonly signal: SignalRow }[];
  readonly reported: { readonly channelId: number; readonly signal: SignalRow }[];
  readonly suppressed: {
    readonly signal: SignalRow;
    readonly ruleId: number;
    readonly reason: NotificationSuppressionReason;
  }[];
  /** The budgets that were spent from, by channel. */
  readonly budgets: Map<number, BudgetState>;
}

/** Identifies a change of an error in a channel. */
export const reportedKey = (
  channelId: number,
  { error_id: errorId, notification_trigger: trigger }: Pick<SignalRow, "error_id" | "notification_trigger">,
): string => `${channelId} ${trigger} ${errorId}`;

/** What the channels of a project were sent since a time. */
export async function reportedSince(
  tables: Kysely<Tables>,
  { channels, errorIds, since }: { channels: readonly ChannelRow[]; errorIds: readonly string[]; since: number },
): Promise<Set<string>> {
  if (channels.length === 0) return new Set();
  const about = [...errorIds, ""]; // "": what is about the project
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

/** Writes what was decided; each change ends as sent, held or suppressed. */
export async function writeDecisions(tables: Kysely<Tables>, decisions: Decisions, now: number): Promise<void> {
  const { deliveries, held, reported, suppressed, budgets } = decisions;
  if (deliveries.length > 0) await tables.insertInto("notifier_delivery").values(deliveries).execute();
  if (held.length > 0) {
    const rows = held.map(({ channelId, signal }) => ({
      channel_id: channelId,
      signal_id: signal.id,
      ...changeOf(signal),
    }));
    await tables.insertInto("notifier_held").values(rows).execute();
  }
  if (reported.length > 0) {
    const rows = reported.map(({ channelId, signal }) => ({
      channel_id: channelId,
      ...changeOf(signal),
      reported_at: now,
    }));
    await tables
      .insertInto("notifier_reported")
      .values(rows)
      .onConflict((conflict) =>
        conflict.columns(["channel_id", "error_id", "notification_trigger"]).doUpdateSet({ reported_at: now }),
      )
      .execute();
  }
  for (const { signal, ruleId, reason } of suppressed) {
    const of = { project_id: signal.project_id, rule_id: ruleId, ...changeOf(signal), reason };
    await tables
      .insertInto("notifier_suppression")
      .values({ ...of, hour_at: startOfHour(now), n: 1 })
      .onConflict((conflict) =>
        conflict
          .columns(["project_id", "rule_id", "error_id", "notification_trigger", "reason", "hour_at"])
          .doUpdateSet({ n: sql<number>`notifier_suppression.n + 1` }),
      )
      .execute();
  }
  for (const [channelId, state] of budgets) {
    const { budget, budget_at, digest_at, digest_minutes } = state;
    await tables
      .updateTable("notifier_channel")
      .set({ budget, budget_at, digest_at, digest_minutes })
      .where("id", "=", channelId)
      .execute();
  }
}

const changeOf = ({ error_id, notification_trigger }: SignalRow) => ({ error_id, notification_trigger });
