import type { ErrorChanges, TrackedError } from "#lib/messages.ts";

/** The changes between the shown list and the same list read again, in the form of a pushed change. */
export function changesBetween(shown: readonly TrackedError[], now: readonly TrackedError[]): ErrorChanges {
  const before = new Map(shown.map((error) => [error.errorId, error]));
  const same = (error: TrackedError) => {
    const row = before.get(error.errorId);
    return row !== undefined && row.status === error.status && row.eventCount === error.eventCount;
  };
  const left = new Set(now.map(({ errorId }) => errorId));
  return { errors: now.filter((error) => !same(error)), more: shown.some(({ errorId }) => !left.has(errorId)) };
}
