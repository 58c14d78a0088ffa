import { NotificationChannelState } from "@faultline/proto";
import type { Secrets } from "@faultline/plugin";
import type { Kysely } from "kysely";
import { sealConfig } from "../channels/channel.ts";
import { newChannel } from "../channels/stored-channels.ts";
import { hold, spend, type BudgetState } from "../deliveries/budget.ts";
import { newDelivery } from "../deliveries/new-delivery.ts";
import type { Message } from "../messages/message.ts";
import { reportedSince, reportedKey, writeDecisions, type Decisions } from "../signals/decisions.ts";
import type { ChannelRow, SignalRow, Tables } from "../tables.ts";
import { spendMail } from "./mail-limits.ts";

/** The kind of the channels that are a person's mail of a project. */
export const mailKind = "mail";

/** The same change of the same error is mailed to a person once in this time. */
const repeatMs = 30 * 60_000;

/** A change of an error to be mailed to a person. */
export interface MailOfChange {
  readonly userId: number;
  readonly username: string;
  readonly projectId: number;
  readonly signal: SignalRow;
  readonly message: Message;
  /** Later than now: the person has quiet hours until then. */
  readonly dueAt: number;
  readonly now: number;
}

/**
 * Queues a mail in the transaction that decides about the change: it is sent by itself, or waits for the person's next digest where
 * the budget of the person's mail of this project, or the mails of the hour, are used up. What comes in quiet hours waits for a
 * digest at their end.
 */
export async function queueMail(
  transaction: Kysely<Tables>,
  { secrets }: { readonly secrets: Secrets },
  { userId, username, projectId, signal, message, dueAt, now }: MailOfChange,
): Promise<"sent" | "held" | "repeated"> {
  const channel = await channelOf(transaction, secrets, { userId, username, projectId, now });
  const errorIds = [signal.error_id];
  const reported = await reportedSince(transaction, { channels: [channel], errorIds, since: now - repeatMs });
  if (reported.has(reportedKey(channel.id, signal))) return "repeated";
  const spent = spend(channel, now);
  const isHeld = dueAt > now || spent.isHeld || !(await spendMail(transaction, { userId, now }));
  const decisions: Decisions = {
    deliveries: isHeld ? [] : [newDelivery(channel, { message, errorId: signal.error_id, changeCount: 1, now })],
    held: isHeld ? [{ channelId: channel.id, signal }] : [],
    reported: [{ channelId: channel.id, signal }],
    suppressed: [],
    budgets: new Map([[channel.id, isHeld ? holdUntil(channel, dueAt, now) : spent.state]]),
  };
  await writeDecisions(transaction, decisions, now);
  return isHeld ? "held" : "sent";
}

function holdUntil(channel: ChannelRow, dueAt: number, now: number): BudgetState {
  const { digest_at, ...state } = hold(channel, now);
  // In quiet hours alone there is no storm, so the digest need not wait for longer.
  if (dueAt > now && channel.digest_at === null) return { ...state, digest_at: dueAt };
  return { ...state, digest_at: Math.max(digest_at ?? 0, dueAt) };
}

/** The channel that is a person's mail of a project, made with the first one. It has no settings. */
async function channelOf(
  transaction: Kysely<Tables>,
  secrets: Secrets,
  { userId, username, projectId, now }: Pick<MailOfChange, "userId" | "username" | "projectId" | "now">,
): Promise<ChannelRow> {
  const stored = await transaction
    .selectFrom("notifier_channel")
    .selectAll()
    .where("user_id", "=", userId)
    .where("project_id", "=", projectId)
    .executeTakeFirst();
  if (stored) return stored;
  const values = {
    ...newChannel(now),
    project_id: projectId,
    user_id: userId,
    kind: mailKind,
    name: username,
    state: NotificationChannelState.ACTIVE,
    created_by: "",
  };
  const insert = transaction.insertInto("notifier_channel").values(values);
  const made = await insert.returningAll().executeTakeFirstOrThrow();
  const config = sealConfig(secrets, made.id, { fields: {} });
  await transaction.updateTable("notifier_channel").set({ config }).where("id", "=", made.id).execute();
  return { ...made, config };
}
