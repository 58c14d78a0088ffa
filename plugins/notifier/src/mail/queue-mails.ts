import type { Secrets } from "@faultline/plugin";
import { NotificationChannelState, type Error as TrackedError } from "@faultline/proto";
import type { Kysely } from "kysely";
import { sealConfig } from "../channels/channel.ts";
import { newChannel } from "../channels/stored-channels.ts";
import { hold, spend, type BudgetState } from "../channels/budget.ts";
import { newDelivery } from "../deliveries/new-delivery.ts";
import { isNotice } from "../kinds.ts";
import { errorMessage } from "../messages/message-of-change.ts";
import type { ProjectPlace } from "@faultline/plugin/text";
import { reportedSince, reportedKey, writeDecisions, type Decisions } from "../signals/decisions.ts";
import type { ChannelRow, SignalRow, Tables } from "../tables.ts";
import { readMailCounts } from "./mail-limits.ts";

/** The kind of the channels for a person's mail of a project. */
export const mailKind = "mail";

/** The same change of the same error is mailed to a person at most once in this time. */
const repeatMs = 30 * 60_000;

/** Mails of people have no rule, because their levels replace it. */
const ownRule = { name: "", note: "" };

/** A change of an error that is mailed to a person. */
export interface MailOfChange {
  readonly userId: number;
  readonly username: string;
  readonly signal: SignalRow;
  readonly error: TrackedError;
  /** Later than now if the person has quiet hours until then. */
  readonly dueAt: number;
}

/** The data that mails of a project need. */
export interface ProjectMail {
  readonly secrets: Secrets;
  /** The people with a confirmed address who did not end the project's mails. */
  readonly userIds: ReadonlySet<number>;
  readonly project: ProjectPlace;
}

/**
 * Queues mails in the transaction that decides about the changes. Each mail is sent individually, or waits for the
 * person's next digest if the budget of the person's mail of this project, or the hourly limit of mails, is exhausted.
 * Changes in quiet hours wait for a digest at their end. The number of statements depends on the number of people, not
 * on the number of changes.
 */
export async function queueMails(
  transaction: Kysely<Tables>,
  { secrets, project }: ProjectMail,
  { projectId, mails, now }: { projectId: number; mails: readonly MailOfChange[]; now: number },
): Promise<void> {
  if (mails.length === 0) return;
  const channels = await channelsOf(transaction, secrets, { projectId, mails, now });
  const errorIds = [...new Set(mails.map(({ signal }) => signal.error_id))];
  const since = now - repeatMs;
  const reported = await reportedSince(transaction, { channels: [...channels.values()], errorIds, since });
  const counts = await readMailCounts(transaction, now);
  const decisions: Decisions = { deliveries: [], held: [], reported: [], suppressed: [], met: [], budgets: new Map() };
  for (const { userId, signal, error, dueAt } of mails) {
    const channel = channels.get(userId);
    if (!channel) continue;
    if (!isNotice(signal.notification_trigger)) {
      if (reported.has(reportedKey(channel.id, signal))) continue;
      reported.add(reportedKey(channel.id, signal));
      decisions.reported.push({ channelId: channel.id, signal });
    }
    const spent = spend(channel, now);
    const isHeld = dueAt > now || spent.isHeld || !counts.spend({ userId, projectId });
    const state = isHeld ? holdUntil(channel, dueAt, now) : spent.state;
    channels.set(userId, { ...channel, ...state });
    decisions.budgets.set(channel.id, state);
    if (isHeld) decisions.held.push({ channelId: channel.id, signal });
    else {
      const message = errorMessage(signal, { error, rule: ownRule, project });
      decisions.deliveries.push(newDelivery(channel, { message, errorId: signal.error_id, changeCount: 1, now }));
    }
  }
  await counts.write(transaction);
  await writeDecisions(transaction, decisions, now);
}

function holdUntil(channel: ChannelRow, dueAt: number, now: number): BudgetState {
  const { digest_at, ...state } = hold(channel, now);
  // Quiet hours alone do not mean a storm, so the digest need not wait longer.
  if (dueAt > now && channel.digest_at === null) return { ...state, digest_at: dueAt };
  return { ...state, digest_at: Math.max(digest_at ?? 0, dueAt) };
}

/**
 * The channels for the people's mail of a project, by user. A channel is made with the first mail, and has no settings.
 */
async function channelsOf(
  transaction: Kysely<Tables>,
  secrets: Secrets,
  { projectId, mails, now }: { projectId: number; mails: readonly MailOfChange[]; now: number },
): Promise<Map<number, ChannelRow>> {
  const names = new Map(mails.map(({ userId, username }) => [userId, username]));
  const stored = await transaction
    .selectFrom("notifier_channel")
    .selectAll()
    .where("user_id", "in", [...names.keys()])
    .where("project_id", "=", projectId)
    .execute();
  const channels = new Map(stored.map((channel) => [channel.user_id ?? 0, channel]));
  for (const [userId, name] of names) {
    if (channels.has(userId)) continue;
    const values = {
      ...newChannel(now),
      project_id: projectId,
      user_id: userId,
      kind: mailKind,
      name,
      state: NotificationChannelState.ACTIVE,
      created_by: "",
    };
    const insert = transaction.insertInto("notifier_channel").values(values);
    const made = await insert.returningAll().executeTakeFirstOrThrow();
    const config = sealConfig(secrets, made.id, { fields: {} });
    await transaction.updateTable("notifier_channel").set({ config }).where("id", "=", made.id).execute();
    channels.set(userId, { ...made, config });
  }
  return channels;
}
