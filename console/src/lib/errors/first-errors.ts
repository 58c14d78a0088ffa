import { errorKey } from "./error-key.ts";
import type { TrackedError } from "../messages.ts";
import type { SortKey } from "../navigation/route.ts";

/** The first `size` of errors of several projects, in the order the service lists those of one. */
export function firstErrors(errors: readonly TrackedError[], sort: SortKey, size: number): TrackedError[] {
  const valueOf = valuesOf[sort];
  const byKey = (a: TrackedError, b: TrackedError) =>
    b.errorId.length - a.errorId.length || compare(b.errorId, a.errorId) || compare(errorKey(b), errorKey(a));
  return errors.toSorted((a, b) => valueOf(b) - valueOf(a) || byKey(a, b)).slice(0, size);
}

const valuesOf: Record<SortKey, (error: TrackedError) => number> = {
  last_seen: ({ lastSeenTime }) => Date.parse(lastSeenTime ?? ""),
  first_seen: ({ firstSeenTime }) => Date.parse(firstSeenTime ?? ""),
  events: ({ eventCount }) => eventCount,
  users: ({ affectedUserCount }) => affectedUserCount,
};

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
