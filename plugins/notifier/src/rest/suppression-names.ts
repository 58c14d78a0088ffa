import { NotificationSuppressionReason as Reason, NotificationSuppressionReasonSchema, wordOf } from "@faultline/proto";

/** The REST word for the reason why a change was not reported. */
export const suppressionName = (reason: Reason): string => wordOf(NotificationSuppressionReasonSchema, reason) ?? "";

/** The REST words for the reasons why a rule did not report a change. */
export const suppressionNames: Readonly<Record<string, Reason>> = Object.fromEntries(
  [Reason.IGNORED, Reason.OVER, Reason.FILTERED, Reason.REPEATED, Reason.CHANNEL_DISABLED, Reason.MAINTENANCE].map(
    (reason) => [wordOf(NotificationSuppressionReasonSchema, reason) ?? "", reason],
  ),
);
