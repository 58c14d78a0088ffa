import type { ProjectUsage } from "@faultline/plugin";
import type { Limits } from "./limits.ts";

/** From this share of the limit of bytes kept on the oldest events go, until the second share is reached. */
const evictFrom = 0.95;
const evictTo = 0.93;

/** What a project uses now, and how the disk stands. */
export interface Use {
  /** Bytes accepted today. */
  readonly day: number;
  /** Bytes kept, and what is on its way to be. */
  readonly kept: number;
  /** Whether the disk is so full that only projects that are not among the largest may store. */
  readonly isShutOut: boolean;
}

/** Why a project's events are refused now; undefined: they are not. */
export type Verdict = "day" | "kept" | "disk" | undefined;

/** A limit that is reached refuses; so a project exceeds it by what was on its way in one request at most. */
export function verdictOf({ day, kept, isShutOut }: Use, limits: Limits): Verdict {
  if (limits.day > 0 && day >= limits.day) return "day";
  if (limits.kept > 0 && kept >= limits.kept) return "kept";
  return isShutOut ? "disk" : undefined;
}

/** Bytes of a project that have to go; 0: none. `isEvicting`: its oldest events went a moment ago. */
export function bytesToEvict(kept: number, limit: number, isEvicting: boolean): number {
  if (limit === 0 || kept <= limit * (isEvicting ? evictTo : evictFrom)) return 0;
  return Math.ceil(kept - limit * evictTo);
}

/**
 * The projects that make room for the others when the disk gets full: the largest ones that together keep half of all bytes, as
 * far as they keep more than the mean. So a project alone is not among them, and neither is one of several of equal size.
 */
export function largestProjects(usage: readonly ProjectUsage[]): ReadonlySet<number> {
  const kept = usage.filter(({ keptBytes }) => keptBytes > 0);
  const total = kept.reduce((sum, { keptBytes }) => sum + keptBytes, 0);
  const largest = new Set<number>();
  let sum = 0;
  for (const { projectId, keptBytes } of kept.toSorted((one, other) => other.keptBytes - one.keptBytes)) {
    if (sum * 2 >= total || keptBytes * kept.length <= total) break;
    sum += keptBytes;
    largest.add(projectId);
  }
  return largest;
}
