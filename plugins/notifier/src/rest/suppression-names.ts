import { NotificationSuppressionReason as Reason, NotificationSuppressionReasonSchema, wordOf } from "@faultline/proto";

/** Why a change was not reported, in the word of REST. */
export const suppressionName = (reason: Reason): string => wordOf(NotificationSuppressionReasonSchema, reason) ?? "";

/** Why a rule did not report a change, in the words of REST. */
export const suppressionNames: Readonly<Record<string, Reason>> = Object.fromEntries(
  [Reason.IGNORED, Reason.OVER, Reason.FILTERED, Reason.REPEATED, Reason.CHANNEL_DISABLED, Reason.MAINTENANCE].map(
    (reason) => [wordOf(NotificationSuppressionReasonSchema, reason) ?? "", reason],
  ),
);
