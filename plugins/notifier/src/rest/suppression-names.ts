import { NotificationSuppressionReason } from "@faultline/proto";

/** Why a change was not reported, in the words of REST. */
export const suppressionNames = {
  ignored: NotificationSuppressionReason.IGNORED,
  over: NotificationSuppressionReason.OVER,
  filtered: NotificationSuppressionReason.FILTERED,
  repeated: NotificationSuppressionReason.REPEATED,
  channel_disabled: NotificationSuppressionReason.CHANNEL_DISABLED,
  maintenance: NotificationSuppressionReason.MAINTENANCE,
} as const;

export const suppressionName = (reason: NotificationSuppressionReason): string =>
  Object.entries(suppressionNames).find(([, one]) => one === reason)?.[0] ?? "";
