import type { ErrorStatus, StatusCounts, TrackedError } from "../messages.ts";
import { errorKey } from "./error-key.ts";

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

/** Counting stops here, so that this count stands for more. */
const mostCounted = 1000;

/** The counts after errors changed their status; `before` holds the status that each had. */
export function countsAfter(
  counts: StatusCounts,
  errors: readonly Changed[],
  before: readonly Changed[],
): StatusCounts {
  const was = new Map(before.map((error) => [errorKey(error), error.status]));
  const after = { ...counts };
  const add = (status: ErrorStatus, number: number) => {
    const key = names[status];
    if (after[key] < mostCounted) after[key] += number;
  };
  for (const error of errors) {
    const status = was.get(errorKey(error));
    if (status === undefined) continue;
    add(status, -1);
    add(error.status, 1);
  }
  return after;
}

type Changed = Pick<TrackedError, "projectId" | "errorId" | "status">;

/** An error with the status of its answer, which has no trend. */
export const withStatusOf = (error: TrackedError, answer: TrackedError): TrackedError => ({
  ...error,
  status: answer.status,
  statusChangedTime: answer.statusChangedTime,
  reopenedTime: answer.reopenedTime,
});
