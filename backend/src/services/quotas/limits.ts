import { invalidField } from "@faultline/plugin";

/**
 * Units of 1,000, as all sizes are shown. An event may have a megabyte, so a single event would reach a smaller limit.
 */
const [megabyte, petabyte] = [1e6, 1e15];
const [smallestLimit, largestLimit] = [megabyte, petabyte];

/** The share of the data disk that one project may keep, so that no sender fills more than a quarter of it. */
const shareOfDisk = 1 / 4;

/**
 * The limit where the size of the disk is unknown, as PostgreSQL's is. Without one, a leaked DSN would fill a disk that
 * nothing here watches. It is a quarter of 40 GB, the smallest disk on which PostgreSQL is usually run.
 */
const keptWithoutDisk = 10_000 * megabyte;

/**
 * A day may bring half of the bytes kept: with more, the flood of one day would push out everything older. On a disk of
 * 8 GB or more, that holds ten minutes of 300 events a second of 5 kB each, uncompressed.
 */
const shareOfDay = 1 / 2;

/** Bytes; 0: no limit. */
export interface Limits {
  readonly day: number;
  readonly kept: number;
}

/** Limits as they were set; null: they were not. */
export interface SetLimits {
  readonly day: number | null;
  readonly kept: number | null;
}

export const notSet: SetLimits = { day: null, kept: null };

/** The limits of the projects without their own. `diskBytes`: the size of the disk with the data, where it is known. */
export function defaultLimits(set: SetLimits, diskBytes: number | undefined): Limits {
  const kept = set.kept ?? (diskBytes === undefined ? keptWithoutDisk : Math.floor(diskBytes * shareOfDisk));
  return { kept, day: set.day ?? Math.floor(kept * shareOfDay) };
}

/** The limits that apply to a project: where no limit of a day was set, the day follows what this project may keep. */
export function holdingLimits(own: SetLimits, ofAll: SetLimits, diskBytes: number | undefined): Limits {
  return defaultLimits({ day: own.day ?? ofAll.day, kept: own.kept ?? ofAll.kept }, diskBytes);
}

/** A change of limits; absent fields change nothing. */
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
