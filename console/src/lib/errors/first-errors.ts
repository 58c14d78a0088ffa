import type { TrackedError } from "../messages.ts";
import { errorKey } from "./error-key.ts";
import { sorts, type SortKey } from "./list-choices.ts";

/** The first `size` errors of several projects, in the order in which the service lists the errors of one project. */
export function firstErrors(errors: readonly TrackedError[], sort: SortKey, size: number): TrackedError[] {
  const { valueOf } = sorts[sort];
  const byKey = (a: TrackedError, b: TrackedError) =>
    b.errorId.length - a.errorId.length || compare(b.errorId, a.errorId) || compare(errorKey(b), errorKey(a));
  return errors.toSorted((a, b) => valueOf(b) - valueOf(a) || byKey(a, b)).slice(0, size);
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
