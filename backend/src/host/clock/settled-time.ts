/**
 * A time that follows jumps of the clock late, and the evidence against the clock. All of it advances while the service
 * runs.
 */
export interface SettledTime {
  /** The time by which ages are counted. */
  readonly settledAt: number;
  /** The clock's time nearest to `settledAt` since they differ. */
  readonly clockAt: number;
  /** How long the service has run since they differ. */
  readonly differsMs: number;
}

/** The running time after which a jump of the clock is believed: a fault on a Friday is found on Monday. */
export const believedAfterMs = 72 * 3_600_000;

/** Smaller differences are those of any clock. */
export const toleratedMs = 60_000;

/** The settled time after another `ranMs` of running, when the clock says `now`. */
export function afterRunning(before: SettledTime, { now, ranMs }: { now: number; ranMs: number }): SettledTime {
  const settledAt = before.settledAt + ranMs;
  const clockAt = before.clockAt + ranMs;
  const side = sideOf(now - settledAt);
  if (side === 0 || side !== sideOf(clockAt - settledAt)) return { settledAt, clockAt: now, differsMs: 0 };

  // A machine that is switched off each night jumps each morning: the doubt goes on, and the smallest jump is believed.
  const nearest = side > 0 ? Math.min(clockAt, now) : Math.max(clockAt, now);
  const differsMs = before.differsMs + ranMs;
  if (differsMs < believedAfterMs) return { settledAt, clockAt: nearest, differsMs };
  return { settledAt: nearest, clockAt: now, differsMs: 0 };
}

/** Whether the clock is ahead (1), behind (-1), or neither. */
function sideOf(differenceMs: number): number {
  return Math.abs(differenceMs) < toleratedMs ? 0 : Math.sign(differenceMs);
}
