import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestamp } from "@faultline/plugin";
import type { DefaultQuotaSchema, QuotaSchema } from "@faultline/proto";
import type { ProjectRow } from "../projects/project.ts";
import type { Limits, SetLimits } from "./limits.ts";
import type { Evicted } from "./evicted.ts";
import type { EvictablePart } from "./quotas.ts";

/** The limits of a project and its use of them. */
export function quotaToProto(
  project: Pick<ProjectRow, "id" | "path">,
  quota: {
    own: SetLimits;
    limits: Limits;
    dayBytes: number;
    dayEndsAt: number;
    keptParts: readonly EvictablePart[];
    eventCount: number;
    bytesPerDay: readonly number[];
    evicted: Evicted | undefined;
    refusedBecause: string;
  },
): MessageInitShape<typeof QuotaSchema> {
  const { own, limits, evicted } = quota;
  // More may have been deleted than was counted.
  const keptParts = quota.keptParts.map(({ name, bytes }) => ({ name, bytes: BigInt(Math.max(0, bytes)) }));
  return {
    projectId: project.id,
    projectPath: project.path,
    dayBytes: BigInt(quota.dayBytes),
    dayLimitBytes: BigInt(limits.day),
    hasOwnDayLimit: own.day !== null,
    dayEndTime: timestamp(quota.dayEndsAt),
    keptBytes: keptParts.reduce((sum, { bytes }) => sum + bytes, 0n),
    keptParts,
    keptLimitBytes: BigInt(limits.kept),
    hasOwnKeptLimit: own.kept !== null,
    eventCount: BigInt(quota.eventCount),
    bytesPerDay: quota.bytesPerDay.map(BigInt),
    ...(evicted && {
      evictedEventCount: BigInt(evicted.eventCount),
      evictedUntilTime: timestamp(evicted.receivedUntil),
      lastEvictedTime: timestamp(evicted.lastAt),
    }),
    refusedBecause: quota.refusedBecause,
  };
}

/** The limits of projects without their own. */
export function defaultQuotaToProto(quota: {
  set: SetLimits;
  limits: Limits;
  diskBytes: number | undefined;
}): MessageInitShape<typeof DefaultQuotaSchema> {
  const { set, limits, diskBytes } = quota;
  return {
    dayLimitBytes: BigInt(limits.day),
    hasOwnDayLimit: set.day !== null,
    keptLimitBytes: BigInt(limits.kept),
    hasOwnKeptLimit: set.kept !== null,
    diskBytes: BigInt(diskBytes ?? 0),
  };
}
