import type { ErrorStatus } from "../messages.ts";

const names: Record<ErrorStatus, "unresolved" | "resolved" | "ignored"> = {
  ERROR_STATUS_UNSPECIFIED: "unresolved",
  ERROR_STATUS_UNRESOLVED: "unresolved",
  ERROR_STATUS_RESOLVED: "resolved",
  ERROR_STATUS_IGNORED: "ignored",
};

export const statusName = (status: ErrorStatus) => names[status];

/** What a person does to give an error this status. */
const verbs = { unresolved: "Reopened", resolved: "Resolved", ignored: "Ignored" } as const;

/** `Resolved` for a status that was just set. */
export const pastVerb = (status: ErrorStatus) => verbs[names[status]];
