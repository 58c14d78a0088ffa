import { bodyOf, cursorPage, idInPath, noContent, operation, paramsOf, single, whole } from "@faultline/plugin/rest";
import {
  ErrorReason,
  NotificationAttemptSchema,
  NotificationDeliverySchema,
  NotificationDeliveryService,
  NotificationSuppressionSchema,
  ReplayNotificationDeliveriesResponseSchema,
} from "@faultline/proto";
import { suppressionNames } from "./suppression-names.ts";

const tag = "Notification deliveries";
const { method } = NotificationDeliveryService;

const attempt = bodyOf(NotificationAttemptSchema, { time: "at", httpStatus: null }, { name: null });
const delivery = bodyOf(NotificationDeliverySchema, {
  deliveryId: "id",
  errorId: null,
  reason: { as: "failed_because", orNull: true },
  dueTime: null,
  attempts: { of: attempt, maxItems: 20 },
  recipient: false,
});
const suppression = bodyOf(NotificationSuppressionSchema, { reason: { words: suppressionNames }, hourTime: "hour" });
const replayed = bodyOf(ReplayNotificationDeliveriesResponseSchema, {}, { name: "NotificationReplay" });

const deliveries = "/projects/:project/error_tracking/notification_deliveries" as const;
const path = { delivery_id: idInPath("The delivery.", ErrorReason.NOTIFICATION_DELIVERY_NOT_FOUND) };

export const listNotificationDeliveries = operation(method.listNotificationDeliveries, `GET ${deliveries}`, {
  tag,
  summary: "List what was sent",
  answer: cursorPage("The deliveries, the newest first.", delivery),
});

export const replayNotificationDelivery = operation(
  method.replayNotificationDeliveries,
  `POST ${deliveries}/:delivery_id/replay`,
  {
    id: "replayNotificationDelivery",
    tag,
    summary: "Send a failed message again",
    path,
    params: {},
    answer: noContent,
  },
);

export const replayNotificationDeliveries = operation(
  method.replayNotificationDeliveries,
  `POST ${deliveries}/replay`,
  {
    id: "replayNotificationDeliveries",
    tag,
    summary: "Send the failed messages of a channel again",
    more: "Those that were made since a time, at most 1,000, the oldest first, under their own ids.",
    params: paramsOf(method.replayNotificationDeliveries.input, {
      deliveryId: false,
      channelId: { isRequired: true },
      sinceTime: { as: "since", isRequired: true },
    }),
    answer: single(200, "How many are sent again.", replayed),
  },
);

export const listNotificationSuppressions = operation(
  method.listNotificationSuppressions,
  "GET /projects/:project/error_tracking/notification_suppressions",
  {
    tag,
    summary: "List what was not sent, and why",
    answer: whole("At most 500, the newest first.", suppression),
  },
);
