import {
  ErrorStatus,
  NotificationSuppressionReason as Reason,
  NotificationTrigger,
  type Error as TrackedError,
} from "@faultline/proto";
import type { SignalRow } from "../tables.ts";
import { detailOf } from "../signal-detail.ts";
import { isAboutProject, isNotice } from "../kinds.ts";

/**
 * The only gate before all channels. Returns why a rule does not report a change, or undefined if it does. `error` is
 * the current error, or undefined if it no longer exists. Changes of the project pass every filter.
 */
export function gate(
  signal: Pick<SignalRow, "notification_trigger" | "status" | "detail">,
  error: Pick<TrackedError, "status"> | undefined,
  { isMatch, isMaintenance }: { isMatch: boolean; isMaintenance: boolean },
): Reason | undefined {
  if (isMaintenance) return Reason.MAINTENANCE;
  if (isAboutProject(signal.notification_trigger)) return undefined;
  if (!error) return Reason.OVER;
  if (isNotice(signal.notification_trigger)) return isMatch ? undefined : Reason.FILTERED; // for any status
  if (signal.notification_trigger === NotificationTrigger.STATUS) {
    if (error.status !== signal.status) return Reason.OVER; // it was changed again
  } else {
    if (error.status === ErrorStatus.IGNORED) return Reason.IGNORED;
    // The end of a spike is reported because its beginning was.
    if (error.status === ErrorStatus.RESOLVED && detailOf(signal).isOver !== true) return Reason.OVER;
  }
  return isMatch ? undefined : Reason.FILTERED;
}
