import type { ErrorStatus, TrackedError } from "../messages.ts";

const words = {
  unresolved: { verb: "Reopen", progress: "Reopening", past: "Reopened" },
  resolved: { verb: "Resolve", progress: "Resolving", past: "Resolved" },
  ignored: { verb: "Ignore", progress: "Ignoring", past: "Ignored" },
} as const;

const names: Record<ErrorStatus, keyof typeof words> = {
  ERROR_STATUS_UNSPECIFIED: "unresolved",
  ERROR_STATUS_UNRESOLVED: "unresolved",
  ERROR_STATUS_RESOLVED: "resolved",
  ERROR_STATUS_IGNORED: "ignored",
};

export const statusName = (status: ErrorStatus) => names[status];

/** The words for setting a status. */
export const statusVerbs = (status: ErrorStatus) => words[names[status]];

/** `Resolved` for a status that was just set. */
export const pastVerb = (status: ErrorStatus) => statusVerbs(status).past;

/** An error with the status of an answer. Answers have no trend, so the other fields keep their values. */
export const withStatusOf = (error: TrackedError, answer: TrackedError): TrackedError => ({
  ...error,
  status: answer.status,
  statusChangedTime: answer.statusChangedTime,
  statusChangedBy: answer.statusChangedBy,
  reopenedTime: answer.reopenedTime,
});
