import { invalidField, type ProjectUsage } from "@faultline/plugin";

/**
 * Units of 1,000, the unit of all displayed sizes. An event may have a megabyte, so a single event would reach a
 * smaller limit.
 */
const [megabyte, petabyte] = [1e6, 1e15];
const [smallestLimit, largestLimit] = [megabyte, petabyte];

/** The share of the data disk that a project may keep, so that no sender fills more than a quarter of it. */
const shareOfDisk = 1 / 4;

/**
 * The limit if the size of the disk is unknown, which is the case with PostgreSQL. Without a limit, a leaked DSN would
 * fill a disk that we do not watch. It is a quarter of 40 GB, the smallest disk on which PostgreSQL is usually run.
 */
const keptWithoutDisk = 10_000 * megabyte;

/**
 * A day may bring half of the bytes kept: with more, the flood of one day would evict everything older. On a disk of 8
 * GB or more, that allows ten minutes of 300 events a second of 5 kB each, uncompressed.
 */
const shareOfDay = 1 / 2;

/** Bytes; 0 means no limit. */
export interface Limits {
  readonly day: number;
  readonly kept: number;
}

/** Configured limits; null if a limit is not set. */
export interface SetLimits {
  readonly day: number | null;
  readonly kept: number | null;
}

export const notSet: SetLimits = { day: null, kept: null };

/** The limits of projects without explicit limits. `diskBytes` is the size of the data disk, if known. */
export function defaultLimits(set: SetLimits, diskBytes: number | undefined): Limits {
  const kept = set.kept ?? (diskBytes === undefined ? keptWithoutDisk : Math.floor(diskBytes * shareOfDisk));
  return { kept, day: set.day ?? Math.floor(kept * shareOfDay) };
}

/**
 * The limits that apply to a project. Without a configured daily limit, the limit of a day follows the bytes that the
 * project may keep.
 */
export function holdingLimits(own: SetLimits, ofAll: SetLimits, diskBytes: number | undefined): Limits {
  return defaultLimits({ day: own.day ?? ofAll.day, kept: own.kept ?? ofAll.kept }, diskBytes);
}

/** A change of limits; undefined fields change nothing. */
export interface LimitChange {
  readonly dayLimitBytes?: bigint | undefined;
  readonly keptLimitBytes?: bigint | undefined;
  readonly resetDay: boolean;
  readonly resetKept: boolean;
}

/** Limits after a change. Refuses values out of range, and changes that contradict each other or change nothing. */
export function changedLimits(stored: SetLimits, change: LimitChange): SetLimits {
  const { dayLimitBytes, keptLimitBytes, resetDay, resetKept } = change;
  if (dayLimitBytes === undefined && keptLimitBytes === undefined && !resetDay && !resetKept) {
    throw invalidField("day_limit_bytes", "Set a limit of bytes per day or of bytes kept, or reset one.");
  }
  return {
    day: changedLimit("day_limit_bytes", stored.day, dayLimitBytes, resetDay),
    kept: changedLimit("kept_limit_bytes", stored.kept, keptLimitBytes, resetKept),
  };
}

function changedLimit(field: string, stored: number | null, bytes: bigint | undefined, isReset: boolean) {
  if (bytes === undefined) return isReset ? null : stored;
  if (isReset) throw invalidField(field, "Set a limit or reset it, not both.");
  const isInRange = bytes === 0n || (bytes >= BigInt(smallestLimit) && bytes <= BigInt(largestLimit));
  if (!isInRange) {
    throw invalidField(
      field,
      "A limit is 0 for no limit, or 1,000,000 bytes (1 MB) to 1,000,000,000,000,000 bytes (1 PB).",
    );
  }
  return Number(bytes);
}

/**
 * Above the first share of the limit of bytes kept, the oldest events are deleted until the second share is reached.
 */
const evictFrom = 0.95;
const evictTo = 0.93;

/** The use of a project now, and the state of the disk. */
export interface Use {
  /** Bytes accepted today. */
  readonly day: number;
  /** Bytes kept, and bytes on their way to storage. */
  readonly kept: number;
  /** Whether the disk is too full for this project to store because it is among the largest. */
  readonly isShutOut: boolean;
}

/** The reason why a project's events are refused now; undefined if they are accepted. */
export type Verdict = "day" | "kept" | "disk" | undefined;

/**
 * The limit that refuses a project, if any. A limit refuses once it is reached, so a project exceeds it by at most the
 * content of one request.
 */
export function verdictOf({ day, kept, isShutOut }: Use, limits: Limits): Verdict {
  if (limits.day > 0 && day >= limits.day) return "day";
  if (limits.kept > 0 && kept >= limits.kept) return "kept";
  return isShutOut ? "disk" : undefined;
}

/**
 * Whether a project may keep more data besides its events. Within its limit it may; beyond the limit, only while that
 * data uses no more than half of it, because the events are then evicted.
 */
export function isRoomBeside(
  { kept, beside }: { kept: number; beside: number },
  limits: Pick<Limits, "kept">,
): boolean {
  return limits.kept === 0 || kept <= limits.kept || beside * 2 <= limits.kept;
}

/** Bytes of a project to delete; 0 for none. `isEvicting` says whether some of its events were deleted a moment ago. */
export function bytesToEvict(kept: number, limit: number, isEvicting: boolean): number {
  if (limit === 0 || kept <= limit * (isEvicting ? evictTo : evictFrom)) return 0;
  return Math.ceil(kept - limit * evictTo);
}

/**
 * The projects that are refused when the disk gets full, so that the others have room: the largest projects that
 * together keep half of all bytes, provided they keep more than the mean. So a single project is never among them, and
 * neither are several projects of equal size.
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
