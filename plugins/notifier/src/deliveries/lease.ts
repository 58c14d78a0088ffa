import { NotificationChannelState, NotificationDeliveryState } from "@faultline/proto";
import type { Kysely } from "kysely";
import type { ChannelRow, DeliveryRow, Tables } from "../tables.ts";
import type { Tried } from "./call-channel.ts";
import { noteTry, takeTry } from "./failing-servers.ts";
import type { Verdict } from "./verdict.ts";

/** Longer than a try takes, so that another process takes over only what a dead one left. */
const leaseMs = 60_000;

/** The least time between two messages of a channel: the slowest of the chats take one a second. */
const paceMs = 1_000;

/** A channel that this process sends to, and the message that is due. */
export interface Claimed {
  readonly channel: ChannelRow;
  readonly delivery: DeliveryRow;
}

/** What came of a try. */
export interface Done extends Claimed {
  readonly tried: Tried;
  readonly verdict: Verdict;
  readonly begunAt: number;
  readonly durationMs: number;
}

/** Leases a channel and takes its oldest message; undefined where another process was first, or nothing may be sent. */
export function claim(
  write: Kysely<Tables>,
  { channelId, token, now }: { channelId: number; token: string; now: number },
): Promise<Claimed | undefined> {
  return write.transaction().execute(async (transaction) => {
    const channel = await transaction
      .updateTable("notifier_channel")
      .set({ lease_token: token, lease_until: now + leaseMs })
      .where("id", "=", channelId)
      .where("state", "=", NotificationChannelState.ACTIVE)
      .where("next_try_at", "<=", now)
      .where("lease_until", "<=", now)
      .returningAll()
      .executeTakeFirst();
    if (!channel) return undefined;
    const delivery = (await takeTry(transaction, channel.server, { now, leaseMs }))
      ? await takeOldest(transaction, channelId)
      : undefined;
    if (delivery) return { channel, delivery };
    await release(transaction, { channelId, token });
    return undefined;
  });
}

async function takeOldest(transaction: Kysely<Tables>, channelId: number): Promise<DeliveryRow | undefined> {
  const oldest = transaction
    .selectFrom("notifier_delivery")
    .select("id")
    .where("channel_id", "=", channelId)
    .where("finished_at", "is", null)
    .orderBy("id")
    .limit(1);
  // Counted before it is sent: a try that a kill cuts off is one whose outcome is not known.
  return transaction
    .updateTable("notifier_delivery")
    .set(({ eb }) => ({ tries: eb("tries", "+", 1) }))
    .where("id", "in", oldest)
    .returningAll()
    .executeTakeFirst();
}

/** Gives a lease back. */
export async function release(
  write: Kysely<Tables>,
  { channelId, token }: { channelId: number; token: string },
): Promise<void> {
  await write
    .updateTable("notifier_channel")
    .set({ lease_token: null, lease_until: 0 })
    .where("id", "=", channelId)
    .where("lease_token", "=", token)
    .execute();
}

/** Stores what came of a try, with the end of the lease; false where another process took over meanwhile: nothing is stored. */
export function finish(write: Kysely<Tables>, done: Done, { token, now }: { token: string; now: number }) {
  const { channel, delivery, tried, verdict, begunAt, durationMs } = done;
  const { server = "", httpStatus, answer } = tried;
  const isPending = verdict.state === NotificationDeliveryState.PENDING;
  return write.transaction().execute(async (transaction): Promise<boolean> => {
    const mine = await transaction
      .updateTable("notifier_channel")
      .set({
        lease_token: null,
        lease_until: 0,
        next_try_at: now + Math.max(paceMs, verdict.waitMs),
        failed_tries: isPending ? channel.failed_tries + 1 : 0,
        server,
        ...(verdict.isAccepted && { last_sent_at: now }),
        ...(verdict.disabledBecause !== undefined && {
          state: NotificationChannelState.DISABLED,
          state_reason: verdict.disabledBecause,
        }),
      })
      .where("id", "=", channel.id)
      .where("lease_token", "=", token)
      .returning("id")
      .execute();
    if (mine.length === 0) return false;
    if (server !== "") await noteTry(transaction, server, { hasFailed: httpStatus === 0 || httpStatus >= 500, now });
    await transaction
      .insertInto("notifier_attempt")
      .values({
        delivery_id: delivery.id,
        begun_at: begunAt,
        duration_ms: durationMs,
        http_status: httpStatus,
        answer,
      })
      .execute();
    if (isPending) return true;
    await transaction
      .updateTable("notifier_delivery")
      .set({ state: verdict.state, reason: verdict.reason, finished_at: now })
      .where("id", "=", delivery.id)
      .execute();
    return true;
  });
}
