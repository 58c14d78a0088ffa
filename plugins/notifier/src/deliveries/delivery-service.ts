import {
  invalidField,
  millisecondsOf,
  pageSizeOf,
  pageToken,
  readPageToken,
  serve,
  ServiceError,
  timestamp,
} from "@faultline/plugin";
import {
  ErrorReason,
  NotificationChannelState,
  NotificationDeliveryService,
  NotificationDeliveryState,
} from "@faultline/proto";
import type { Kysely } from "kysely";
import { readChannel } from "../channels/channel.ts";
import { Kinds } from "../kinds.ts";
import type { Message } from "../messages/message.ts";
import type { DeliveryRow, SuppressionRow, Tables } from "../tables.ts";
import { failingAmong } from "../channels/failing-servers.ts";

const shownAttempts = 20;
const mostReplayed = 1_000;
const mostSuppressions = 500;

/** The deliveries of projects, and the changes that were not reported. */
export const deliveryService = serve(NotificationDeliveryService, ({ database, clock, notificationKinds }) => ({
  async listNotificationDeliveries({ channelId, state, pageSize, pageToken: token }, { grant }) {
    const list = JSON.stringify(["notification deliveries", grant.project.id, channelId, state]);
    const place = readPageToken(list, token, ["number"]);
    const size = pageSizeOf({ pageSize });
    const read = database.read<Tables>();
    let query = read.selectFrom("notifier_delivery").selectAll().where("project_id", "=", grant.project.id);
    if (channelId !== 0) query = query.where("channel_id", "=", channelId);
    if (state !== NotificationDeliveryState.UNSPECIFIED) query = query.where("state", "=", state);
    if (place) query = query.where("id", "<", place[0]);
    const rows = await query
      .orderBy("id", "desc")
      .limit(size + 1)
      .execute();
    const page = rows.slice(0, size);
    const last = page.at(-1);
    const dueAt = await nextTries(read, page);
    return {
      deliveries: await Promise.all(page.map((row) => deliveryToProto(read, row, dueAt.get(row.channel_id)))),
      nextPageToken: rows.length > size && last ? pageToken(list, [last.id]) : "",
    };
  },

  async replayNotificationDeliveries({ deliveryId, channelId, sinceTime }, { grant }) {
    const write = database.write<Tables>();
    const projectId = grant.project.id;
    let failed = write
      .selectFrom("notifier_delivery")
      .select("id")
      .where("project_id", "=", projectId)
      .where("state", "=", NotificationDeliveryState.FAILED);
    if (deliveryId !== 0n) failed = failed.where("id", "=", Number(deliveryId));
    else {
      await readChannel(database.read(), projectId, channelId);
      if (!sinceTime) throw invalidField("since_time", "Name the time from which failed deliveries are sent again.");
      failed = failed.where("channel_id", "=", channelId).where("created_at", ">=", millisecondsOf(sinceTime));
    }
    // The delivery gets a new age, so that it does not expire immediately. It keeps its uid, so that receivers
    // recognize it.
    const again = {
      state: NotificationDeliveryState.PENDING,
      reason: "",
      finished_at: null,
      created_at: clock.now(),
      tries: 0,
    };
    const replayed = await write
      .updateTable("notifier_delivery")
      .set(again)
      .where("id", "in", failed.orderBy("id").limit(mostReplayed))
      .returning("channel_id")
      .execute();
    if (replayed.length === 0 && deliveryId !== 0n) throw deliveryNotFound();
    const channels = [...new Set(replayed.map((row) => row.channel_id))];
    if (channels.length > 0) {
      const now = { next_try_at: clock.now(), failed_tries: 0 };
      await write.updateTable("notifier_channel").set(now).where("id", "in", channels).execute();
    }
    return { replayedCount: replayed.length };
  },

  async listNotificationSuppressions({ ruleId, errorId }, { grant }) {
    let query = database
      .read<Tables>()
      .selectFrom("notifier_suppression")
      .selectAll()
      .where("project_id", "=", grant.project.id);
    if (ruleId !== 0) query = query.where("rule_id", "=", ruleId);
    if (errorId !== "") query = query.where("error_id", "=", errorId);
    const rows = await query.orderBy("hour_at", "desc").limit(mostSuppressions).execute();
    const kinds = new Kinds({ notificationKinds });
    return { suppressions: rows.map((row) => suppressionToProto(row, kinds)) };
  },
}));

/** When the active channels of deliveries try next. */
async function nextTries(read: Kysely<Tables>, rows: readonly DeliveryRow[]): Promise<ReadonlyMap<number, number>> {
  const ids = [...new Set(rows.map((row) => row.channel_id))];
  if (ids.length === 0) return new Map();
  const channels = await read
    .selectFrom("notifier_channel")
    .select(["id", "next_try_at", "server"])
    .where("id", "in", ids)
    .where("state", "=", NotificationChannelState.ACTIVE)
    .execute();
  const servers = channels.map(({ server }) => server);
  const failing = await failingAmong(read, servers);
  return new Map(channels.map(({ id, next_try_at: at, server }) => [id, Math.max(at, failing.get(server) ?? 0)]));
}

/** `dueAt` is the time of the channel's next try. */
async function deliveryToProto(read: Kysely<Tables>, row: DeliveryRow, dueAt: number | undefined) {
  const channel = await read
    .selectFrom("notifier_channel")
    .select(["user_id", "name"])
    .where("id", "=", row.channel_id)
    .executeTakeFirst();
  const attempts = await read
    .selectFrom("notifier_attempt")
    .selectAll()
    .where("delivery_id", "=", row.id)
    .orderBy("id", "desc")
    .limit(shownAttempts)
    .execute();
  const { headline, title } = JSON.parse(row.message) as Message; // written by newDelivery
  return {
    deliveryId: BigInt(row.id),
    channelId: row.channel_id,
    recipient: channel?.user_id == null ? "" : channel.name,
    title: `${headline}: ${title}`,
    errorId: row.error_id,
    changeCount: row.change_count,
    state: row.state,
    reason: row.reason,
    createdTime: timestamp(row.created_at),
    ...(row.state === NotificationDeliveryState.PENDING && dueAt !== undefined && { dueTime: timestamp(dueAt) }),
    attempts: attempts.map((attempt) => ({
      time: timestamp(attempt.begun_at),
      durationMs: attempt.duration_ms,
      httpStatus: attempt.http_status,
      answer: attempt.answer,
    })),
  };
}

const suppressionToProto = (row: SuppressionRow, kinds: Kinds) => ({
  ruleId: row.rule_id,
  errorId: row.error_id,
  ...kinds.named(row.notification_trigger),
  reason: row.reason,
  hourTime: timestamp(row.hour_at),
  count: row.n,
});

const deliveryNotFound = () =>
  new ServiceError(
    ErrorReason.NOTIFICATION_DELIVERY_NOT_FOUND,
    "This failed delivery does not exist in this project. Deliveries are kept for 30 days.",
  );
