import { create } from "@bufbuild/protobuf";
import { invalidField } from "@faultline/plugin";
import {
  GetDefaultQuotaRequestSchema,
  GetQuotaRequestSchema,
  ListQuotasRequestSchema,
  UpdateDefaultQuotaRequestSchema,
  UpdateQuotaRequestSchema,
  type DefaultQuota,
  type ListQuotasResponse,
  type Quota,
} from "@faultline/proto";
import { isoTime } from "../iso-time.ts";
import { projectOf } from "../named-project.ts";
import type { Params } from "../params.ts";
import type { Operation } from "../rest.ts";

export const getQuota: Operation = async (restCall) => {
  const request = create(GetQuotaRequestSchema, { projectId: projectOf(restCall).projectId });
  const { quota } = await restCall.visit.host.core.quotas.getQuota(request, restCall.call);
  return { status: 200, body: quotaBody(quota as Quota) };
};

/** Changes what is given. */
export const updateQuota: Operation = async (restCall) => {
  const { visit, call, params } = restCall;
  const [day, kept] = [limitParam(params, "day_limit_bytes"), limitParam(params, "kept_limit_bytes")];
  const request = create(UpdateQuotaRequestSchema, {
    projectId: projectOf(restCall).projectId,
    ...(day.bytes !== undefined && { dayLimitBytes: day.bytes }),
    ...(kept.bytes !== undefined && { keptLimitBytes: kept.bytes }),
    useDefaultDayLimit: day.isReset,
    useDefaultKeptLimit: kept.isReset,
  });
  const { quota } = await visit.host.core.quotas.updateQuota(request, call);
  return { status: 200, body: quotaBody(quota as Quota) };
};

/** The projects that keep most. */
export const listQuotas: Operation = async ({ visit, call }) => {
  const answer = (await visit.host.core.quotas.listQuotas(create(ListQuotasRequestSchema), call)) as ListQuotasResponse;
  return {
    status: 200,
    body: {
      quotas: answer.quotas.map(quotaBody),
      total_kept_bytes: Number(answer.totalKeptBytes),
      total_count: answer.totalCount,
    },
  };
};

export const getDefaultQuota: Operation = async ({ visit, call }) => {
  const { defaultQuota } = await visit.host.core.quotas.getDefaultQuota(create(GetDefaultQuotaRequestSchema), call);
  return { status: 200, body: defaultQuotaBody(defaultQuota as DefaultQuota) };
};

/** Changes what is given. */
export const updateDefaultQuota: Operation = async ({ visit, call, params }) => {
  const [day, kept] = [limitParam(params, "day_limit_bytes"), limitParam(params, "kept_limit_bytes")];
  const request = create(UpdateDefaultQuotaRequestSchema, {
    ...(day.bytes !== undefined && { dayLimitBytes: day.bytes }),
    ...(kept.bytes !== undefined && { keptLimitBytes: kept.bytes }),
    resetDayLimit: day.isReset,
    resetKeptLimit: kept.isReset,
  });
  const { defaultQuota } = await visit.host.core.quotas.updateDefaultQuota(request, call);
  return { status: 200, body: defaultQuotaBody(defaultQuota as DefaultQuota) };
};

/** A limit in bytes, or the word `default`. */
function limitParam(params: Params, name: string): { readonly bytes?: bigint; readonly isReset: boolean } {
  const value = params[name];
  if (value === undefined || value === null) return { isReset: false };
  if (value === "default") return { isReset: true };
  const digits = typeof value === "number" ? String(value) : value;
  if (typeof digits === "string" && /^\d{1,18}$/.test(digits)) return { bytes: BigInt(digits), isReset: false };
  throw invalidField(name, `Give ${name} as a whole number of bytes, 0 for no limit, or as \`default\`.`);
}

function quotaBody(quota: Quota): object {
  return {
    project_id: quota.projectId,
    path_with_namespace: quota.projectPath,
    day_bytes: Number(quota.dayBytes),
    day_limit_bytes: Number(quota.dayLimitBytes),
    day_limit_is_default: !quota.hasOwnDayLimit,
    day_ends_at: isoTime(quota.dayEndTime),
    kept_bytes: Number(quota.keptBytes),
    kept_limit_bytes: Number(quota.keptLimitBytes),
    kept_limit_is_default: !quota.hasOwnKeptLimit,
    event_count: Number(quota.eventCount),
    bytes_per_day: quota.bytesPerDay.map(Number),
    evicted_event_count: Number(quota.evictedEventCount),
    evicted_until: isoTime(quota.evictedUntilTime),
    last_evicted_at: isoTime(quota.lastEvictedTime),
    refused_because: quota.refusedBecause || null,
  };
}

function defaultQuotaBody(quota: DefaultQuota): object {
  return {
    day_limit_bytes: Number(quota.dayLimitBytes),
    day_limit_is_default: !quota.hasOwnDayLimit,
    kept_limit_bytes: Number(quota.keptLimitBytes),
    kept_limit_is_default: !quota.hasOwnKeptLimit,
    disk_bytes: Number(quota.diskBytes) || null,
  };
}
