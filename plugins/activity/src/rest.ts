import { bodyOf, cursorPage, operation, textInPath } from "@faultline/plugin/rest";
import { ActivityEntrySchema, ActivityService } from "@faultline/proto";

const entry = bodyOf(ActivityEntrySchema, { time: "at", actor: null, statusBefore: null, release: null, text: null });

export const listErrorActivity = operation(
  ActivityService.method.listErrorActivity,
  "GET /projects/:project/error_tracking/errors/:error_id/activity",
  {
    tag: "Errors",
    summary: "List what happened to an error, and who did it",
    more: "With the external backend: the changes that were made here.",
    path: { error_id: textInPath("The error, decimal digits.", { pattern: "^[1-9]\\d{0,17}$" }) },
    answer: cursorPage("The entries, the newest first.", entry),
  },
);
