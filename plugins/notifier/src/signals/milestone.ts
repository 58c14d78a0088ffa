/** The largest power of ten, from ten on, that a count has reached; 0: none. */
export function powerReached(count: number): number {
  let power = 0;
  for (let next = 10; next <= count; next *= 10) power = next;
  return power;
}

/** How far an error was when it was looked at last. */
export interface Progress {
  readonly base: number;
  readonly reopenedAt: number;
  readonly reached: number;
}

export interface MilestoneStep {
  readonly progress: Progress;
  /** The power that is to be reported. */
  readonly report?: number;
}

/**
 * One look at an error. Of several powers passed at once the largest is reported. `before`: undefined for an error that is seen for
 * the first time; it then counts from what it had `earlier`.
 */
export function stepMilestone(
  before: Progress | undefined,
  now: {
    readonly count: number;
    readonly reopenedAt: number;
    readonly sinceReopened: number;
    readonly earlier: number;
  },
): MilestoneStep {
  const { count, reopenedAt, sinceReopened, earlier } = now;
  const isReopened = reopenedAt !== (before?.reopenedAt ?? 0);
  const base = isReopened ? count - sinceReopened : (before?.base ?? 0);
  const isFirst = before === undefined;
  const reached = isReopened && !isFirst ? 0 : (before?.reached ?? powerReached(Math.max(0, earlier - base)));
  const power = powerReached(count - base);
  const progress = { base, reopenedAt, reached: Math.max(reached, power) };
  return power > reached ? { progress, report: power } : { progress };
}
