import type { ErrorStatus, StatusCounts, TrackedError } from "../messages.ts";
import { errorKey } from "./error-key.ts";
import type { StatusTab } from "./list-choices.ts";
import { statusName } from "./status.ts";

/** The number of errors in a tab. */
export const countOf = (counts: StatusCounts, status: StatusTab): number =>
  status === "all" ? counts.unresolved + counts.resolved + counts.ignored : counts[status];

/** Counting stops here, so the real number may be higher. */
const mostCounted = 1000;

/** The counts after errors changed their status; `before` holds the earlier statuses. */
export function countsAfter(
  counts: StatusCounts,
  errors: readonly Changed[],
  before: readonly Changed[],
): StatusCounts {
  const was = new Map(before.map((error) => [errorKey(error), error.status]));
  const after = { ...counts };
  const add = (status: ErrorStatus, number: number) => {
    const key = statusName(status);
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
