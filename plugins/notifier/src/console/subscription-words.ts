import type { ErrorSubscriptionAnswer } from "@faultline/console/messages.ts";

type Notification = ErrorSubscriptionAnswer["notifications"][number];
type Suppression = ErrorSubscriptionAnswer["suppressions"][number];

/** What the person is notified of from now on. */
export function effectWords({ subscription, level }: Pick<ErrorSubscriptionAnswer, "subscription" | "level">): string {
  if (level?.level === "NOTIFICATION_LEVEL_NONE")
    return "Your level for this project is “Nothing”, so you are not notified of this error.";
  if (subscription === "ERROR_SUBSCRIPTION_WATCHED") return "You are notified of every change that others make.";
  if (subscription === "ERROR_SUBSCRIPTION_MUTED") return "You are not notified of this error.";
  if (level?.level === "NOTIFICATION_LEVEL_MINE") return "You are not notified of this error unless you watch it.";
  if (level?.level === "NOTIFICATION_LEVEL_ALL") {
    return "You are notified when this error comes back, and when somebody changes its status.";
  }
  return "You are notified when this error comes back after it was resolved.";
}

const reasons: Readonly<Record<string, string>> = {
  NOTIFICATION_SUPPRESSION_REASON_IGNORED: "the error was ignored",
  NOTIFICATION_SUPPRESSION_REASON_OVER: "the error had changed again or was deleted",
  NOTIFICATION_SUPPRESSION_REASON_REPEATED: "you were notified of the same change in the previous 30 minutes",
  NOTIFICATION_SUPPRESSION_REASON_MUTED: "you muted the error",
  NOTIFICATION_SUPPRESSION_REASON_NOT_WATCHED: "your level is “Errors that I watch”",
  NOTIFICATION_SUPPRESSION_REASON_LOW_LEVEL: "its level is below error",
  NOTIFICATION_SUPPRESSION_REASON_OWN_CHANGE: "you made the change",
};

export const notificationWords = ({ headline }: Notification): string =>
  headline ? `${headline}: in your inbox` : "In your inbox, together with other changes";

export function suppressionWords({ headline, reason, count }: Suppression): string {
  const times = count === 1 ? "" : ` (${count} times)`;
  return `${headline}${times}: not in your inbox, because ${reasons[reason] ?? "it was held back"}`;
}
