import { randomUUID } from "node:crypto";
import { NotificationDeliveryState } from "@faultline/proto";
import type { Message } from "../messages/message.ts";
import type { ChannelRow, DeliveryRow } from "../tables.ts";

export type NewDelivery = Omit<DeliveryRow, "id">;

/** The row of a message to be sent. `errorId` is empty for a digest. */
export function newDelivery(
  channel: Pick<ChannelRow, "id" | "project_id">,
  parts: { message: Message; errorId: string; changeCount: number; now: number },
): NewDelivery {
  return {
    project_id: channel.project_id,
    channel_id: channel.id,
    uid: `msg_${randomUUID().replaceAll("-", "")}`,
    error_id: parts.errorId,
    change_count: parts.changeCount,
    message: JSON.stringify(parts.message),
    state: NotificationDeliveryState.PENDING,
    reason: "",
    tries: 0,
    created_at: parts.now,
    finished_at: null,
  };
}
