import { NotificationSuppressionReason as Reason, NotificationSuppressionReasonSchema, wordOf } from "@faultline/proto";

export const suppressionName = (reason: Reason): string => wordOf(NotificationSuppressionReasonSchema, reason) ?? "";

/** Why a rule did not report a change. */
export const suppressionNames = [
  Reason.IGNORED,
  Reason.OVER,
  Reason.FILTERED,
  Reason.REPEATED,
  Reason.CHANNEL_DISABLED,
  Reason.MAINTENANCE,
].map(suppressionName);

/** Why a person was not notified of a change. */
export const personalSuppressionNames = [
  Reason.IGNORED,
  Reason.OVER,
  Reason.REPEATED,
  Reason.MUTED,
  Reason.NOT_WATCHED,
  Reason.LOW_LEVEL,
  Reason.OWN_CHANGE,
].map(suppressionName);
