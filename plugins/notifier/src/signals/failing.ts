/** Failures in a row, and how long they have lasted, before they are reported. */
const failuresReported = 3;
const failingMs = 5 * 60_000;

/** Failures in a row of an external system. */
export interface Failures {
  readonly count: number;
  readonly since: number;
  /** They were reported; 0: they were not. */
  readonly isReported: 0 | 1;
}

/** One call: what is remembered (undefined: it answers), and what is to be reported. */
export function stepFailures(
  before: Failures | undefined,
  { isFailure, now }: { isFailure: boolean; now: number },
): { readonly failures: Failures | undefined; readonly report?: "failing" | "recovered" } {
  if (!isFailure) return { failures: undefined, ...(before?.isReported === 1 && { report: "recovered" as const }) };
  // A clock that went back begins the time again.
  const since = Math.min(before?.since ?? now, now);
  const count = (before?.count ?? 0) + 1;
  if (before?.isReported === 1) return { failures: { count, since, isReported: 1 } };
  const isReported = count >= failuresReported && now - since >= failingMs;
  return {
    failures: { count, since, isReported: isReported ? 1 : 0 },
    ...(isReported && { report: "failing" as const }),
  };
}
