import { type Handlers, timestamp } from "@faultline/plugin";
import type { DefaultQuotaSchema, QuotaSchema, QuotaService } from "@faultline/proto";
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { MikroORM } from "@mikro-orm/sql";
import type { CoreCall } from "../access/guard.ts";
import { ProjectEntity, type ProjectRow } from "../tables/project.ts";
import type { ProjectDirectory } from "../projects/project-directory.ts";
import { type Quotas, inWords, type EvictablePart } from "./quotas.ts";
import type { Limits, SetLimits } from "./limits.ts";
import type { Evicted } from "./evicted.ts";

const listed = 100;
const daysShown = 7;

/** The limits of the bytes that projects may receive and keep. */
export function quotaService(parts: {
  orm: MikroORM;
  projects: ProjectDirectory;
  quotas: Quotas;
}): Handlers<typeof QuotaService, CoreCall> {
  const { orm, projects, quotas } = parts;

  const messages = async (rows: readonly ProjectRow[]): Promise<MessageInitShape<typeof QuotaSchema>[]> => {
    await quotas.today.save().catch(() => undefined); // stored counts can be read even when writes fail
    const ids = rows.map(({ id }) => id);
    const [days, evicted] = await Promise.all([
      quotas.today.lastDays(ids, daysShown),
      quotas.evicted.of(ids),
      quotas.today.read(ids), // the intake of other processes
    ]);
    return rows.map((project) => {
      const verdict = quotas.verdict(project.id);
      return quotaToProto(project, {
        own: quotas.setLimitsOf(project.id),
        limits: quotas.limitsOf(project.id),
        dayBytes: quotas.today.bytesOf(project.id),
        dayEndsAt: quotas.today.endsAt,
        keptParts: quotas.keptParts(project.id),
        eventCount: quotas.usage.get(project.id)?.eventCount ?? 0,
        bytesPerDay: days.get(project.id) ?? [],
        evicted: evicted.get(project.id),
        refusedBecause: verdict === undefined ? "" : inWords[verdict],
      });
    });
  };

  const message = async (projectId: number) => {
    const project = await projects.project(projectId);
    return (await messages([project]))[0] ?? {};
  };

  const defaults = (): MessageInitShape<typeof DefaultQuotaSchema> =>
    defaultQuotaToProto({ set: quotas.setLimitsOf(), limits: quotas.defaults, diskBytes: quotas.diskBytes });

  return {
    async getQuota({ projectId }) {
      return { quota: await message(projectId) };
    },

    async updateQuota({ projectId, dayLimitBytes, keptLimitBytes, useDefaultDayLimit, useDefaultKeptLimit }) {
      const { id } = await projects.project(projectId);
      const change = { dayLimitBytes, keptLimitBytes, resetDay: useDefaultDayLimit, resetKept: useDefaultKeptLimit };
      await quotas.change(change, id);
      return { quota: await message(id) };
    },

    async listQuotas() {
      await quotas.readKept();
      const rows = await orm.em.fork().find(ProjectEntity, { deletedAt: null });
      const bySize = rows.toSorted(
        (one, other) => quotas.keptBytes(other.id) - quotas.keptBytes(one.id) || one.id - other.id,
      );
      const total = rows.reduce((sum, { id }) => sum + quotas.keptBytes(id), 0);
      return {
        quotas: await messages(bySize.slice(0, listed)),
        totalKeptBytes: BigInt(total),
        totalCount: rows.length,
      };
    },

    async getDefaultQuota() {
      return { defaultQuota: defaults() };
    },

    async updateDefaultQuota({ dayLimitBytes, keptLimitBytes, resetDayLimit, resetKeptLimit }) {
      await quotas.change({ dayLimitBytes, keptLimitBytes, resetDay: resetDayLimit, resetKept: resetKeptLimit });
      return { defaultQuota: defaults() };
    },
  };
}

/** The limits of a project, and its use. */
function quotaToProto(
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

/** The limits of projects without explicit limits. */
function defaultQuotaToProto(quota: {
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
