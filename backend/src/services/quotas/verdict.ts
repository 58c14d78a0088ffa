import type { ProjectUsage } from "@faultline/plugin";
import type { Limits } from "./limits.ts";

/**
 * Above the first share of the limit of bytes kept, the oldest events are deleted until the second share is reached.
 */
const evictFrom = 0.95;
const evictTo = 0.93;

/** The use of a project now, and the state of the disk. */
export interface Use {
  /** Bytes accepted today. */
  readonly day: number;
  /** Bytes kept, and those on their way to storage. */
  readonly kept: number;
  /** Whether the disk is too full for this project to store, as it is among the largest. */
  readonly isShutOut: boolean;
}

/** The reason why a project's events are refused now; undefined: they are accepted. */
export type Verdict = "day" | "kept" | "disk" | undefined;

/** A limit refuses once it is reached, so a project exceeds it by at most the content of one request. */
export function verdictOf({ day, kept, isShutOut }: Use, limits: Limits): Verdict {
  if (limits.day > 0 && day >= limits.day) return "day";
  if (limits.kept > 0 && kept >= limits.kept) return "kept";
  return isShutOut ? "disk" : undefined;
}

/**
 * Whether a project may keep more beside its events: within its limit, and beyond it while what is beside events has no more than half,
 * because its events then give way.
 */
export function isRoomBeside(
  { kept, beside }: { kept: number; beside: number },
  limits: Pick<Limits, "kept">,
): boolean {
  return limits.kept === 0 || kept <= limits.kept || beside * 2 <= limits.kept;
}

/** Bytes of a project to delete; 0: none. `isEvicting`: some of its events were deleted a moment ago. */
export function bytesToEvict(kept: number, limit: number, isEvicting: boolean): number {
  if (limit === 0 || kept <= limit * (isEvicting ? evictTo : evictFrom)) return 0;
  return Math.ceil(kept - limit * evictTo);
}

/**
 * The projects that are refused when the disk gets full, so that the others have room: the largest ones that together
 * keep half of all bytes, provided they keep more than the mean. So a single project is not among them, and neither is
 * one of several of equal size.
 */
export function largestProjects(usage: readonly Pick<ProjectUsage, "projectId" | "keptBytes">[]): ReadonlySet<number> {
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
