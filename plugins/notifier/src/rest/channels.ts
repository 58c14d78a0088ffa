import { bodyOf, flag, idInPath, noContent, operation, paramsOf, single, whole } from "@faultline/plugin/rest";
import {
  CreateNotificationChannelResponseSchema,
  ErrorReason,
  NotificationChannelFieldSchema,
  NotificationChannelKindSchema,
  NotificationChannelSchema,
  NotificationChannelService,
  NotificationChannelState,
  TestNotificationChannelResponseSchema,
} from "@faultline/proto";
import { fields, fieldsLike } from "@faultline/plugin/rest";

const tag = "Notification channels";
const { method } = NotificationChannelService;

const field = bodyOf(NotificationChannelFieldSchema, {}, { name: null });
const kind = bodyOf(NotificationChannelKindSchema, { fields: { of: field } });

const channel = bodyOf(
  NotificationChannelSchema,
  {
    channelId: "id",
    projectId: false,
    state: false,
    stateReason: { as: "inactive_because", orNull: true },
    lastSentTime: null,
    nextTryTime: null,
    failingServer: null,
  },
  { further: { active: [flag("It sends."), ({ state }) => state === NotificationChannelState.ACTIVE] } },
);

/** Includes the signing key, which is returned once. */
const channelWithKey = bodyOf(
  CreateNotificationChannelResponseSchema,
  { channel: { of: channel }, signingSecret: null },
  { name: "NotificationChannelWithKey", description: "A channel, and the new key that signs its deliveries." },
);

const tested = bodyOf(TestNotificationChannelResponseSchema, { httpStatus: null }, { name: "NotificationTest" });

const channels = "/projects/:project/error_tracking/notification_channels" as const;
const path = { channel_id: idInPath("The channel.", ErrorReason.NOTIFICATION_CHANNEL_NOT_FOUND) };

export const listNotificationChannelKinds = operation(
  method.listNotificationChannelKinds,
  "GET /notification_channel_kinds",
  {
    tag,
    summary: "List the kinds of notification channels",
    answer: whole("The kinds with their fields.", kind),
  },
);

export const listNotificationChannels = operation(method.listNotificationChannels, `GET ${channels}`, {
  tag,
  summary: "List the notification channels of a project",
  answer: whole("The channels, without their secrets.", channel),
});

export const createNotificationChannel = operation(method.createNotificationChannel, `POST ${channels}`, {
  tag,
  summary: "Add a notification channel",
  params: paramsOf(method.createNotificationChannel.input, {
    kind: { isRequired: true, examples: ["ntfy"] },
    name: { isRequired: true, maxLength: 80 },
    fields: fieldsLike({ url: "https://ntfy.sh", topic: "errors" }),
  }),
  oneOf: [["fields"]],
  answer: single(201, "The channel.", channelWithKey),
});

export const updateNotificationChannel = operation(method.updateNotificationChannel, `PUT ${channels}/:channel_id`, {
  tag,
  summary: "Change a notification channel",
  more: "Omitted fields keep their values. A disabled channel sends again.",
  path,
  params: paramsOf(method.updateNotificationChannel.input, { name: { maxLength: 80 }, fields }),
  answer: single(200, "The changed channel.", channelWithKey),
});

export const deleteNotificationChannel = operation(method.deleteNotificationChannel, `DELETE ${channels}/:channel_id`, {
  tag,
  summary: "Delete a notification channel",
  path,
  answer: noContent,
});

export const testNotificationChannel = operation(method.testNotificationChannel, `POST ${channels}/:channel_id/test`, {
  tag,
  summary: "Send a test to a notification channel",
  path,
  answer: single(200, "What the other side answered.", tested),
});
