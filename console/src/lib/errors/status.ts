import type { ErrorStatus, TrackedError } from "../messages.ts";

const names: Record<ErrorStatus, "unresolved" | "resolved" | "ignored"> = {
  ERROR_STATUS_UNSPECIFIED: "unresolved",
  ERROR_STATUS_UNRESOLVED: "unresolved",
  ERROR_STATUS_RESOLVED: "resolved",
  ERROR_STATUS_IGNORED: "ignored",
};

export const statusName = (status: ErrorStatus) => names[status];

/** The verb for setting this status. */
const verbs = { unresolved: "Reopened", resolved: "Resolved", ignored: "Ignored" } as const;

/** `Resolved` for a status that was just set. */
export const pastVerb = (status: ErrorStatus) => verbs[names[status]];

/** An error with the status of its answer, which has no trend. */
export const withStatusOf = (error: TrackedError, answer: TrackedError): TrackedError => ({
  ...error,
  status: answer.status,
  statusChangedTime: answer.statusChangedTime,
  statusChangedBy: answer.statusChangedBy,
  reopenedTime: answer.reopenedTime,
});
