import { invalidField } from "@faultline/plugin";
import { bodyOf, flag, operation, present, single, type Parameter } from "@faultline/plugin/rest";
import {
  DefaultQuotaSchema,
  KeptPartSchema,
  ListQuotasResponseSchema,
  QuotaSchema,
  QuotaService,
  type DefaultQuota,
  type Quota,
} from "@faultline/proto";

const tag = "Quotas";
const { method } = QuotaService;

/** REST marks a limit that is the default; the core marks a limit that is not. */
const defaults = (day: string, kept: string) =>
  ({
    day_limit_is_default: [flag(day), ({ hasOwnDayLimit }: Quota | DefaultQuota) => !hasOwnDayLimit],
    kept_limit_is_default: [flag(kept), ({ hasOwnKeptLimit }: Quota | DefaultQuota) => !hasOwnKeptLimit],
  }) as const;

const quota = bodyOf(
  QuotaSchema,
  {
    projectPath: "path_with_namespace",
    hasOwnDayLimit: false,
    dayEndTime: "day_ends_at",
    keptParts: { of: bodyOf(KeptPartSchema, {}, { name: "QuotaPart" }) },
    hasOwnKeptLimit: false,
    evictedUntilTime: { as: "evicted_until", orNull: true },
    lastEvictedTime: null,
    refusedBecause: null,
  },
  {
    description: "How much a project may send and keep, and what it uses of that.",
    further: defaults(
      "The project has no limit of a day of its own.",
      "The project has no limit of bytes kept of its own.",
    ),
  },
);

const quotas = bodyOf(ListQuotasResponseSchema, { quotas: { of: quota, maxItems: 100 } }, { name: "Quotas" });

const defaultQuota = bodyOf(
  DefaultQuotaSchema,
  { hasOwnDayLimit: false, hasOwnKeptLimit: false, diskBytes: null },
  {
    further: defaults(
      "Nobody set it: it is half of the limit of bytes kept.",
      "Nobody set it: it is a quarter of the disk that holds the data, or 10 GB where the size of that disk is not known, as on PostgreSQL.",
    ),
  },
);

const limits = {
  day_limit_bytes: byteLimit("Bytes that may be received in a UTC day"),
  kept_limit_bytes: byteLimit("Bytes that may be kept"),
};
const more = "Omitted fields keep their values.";

export const getQuota = operation(method.getQuota, "GET /projects/:project/error_tracking/quota", {
  tag,
  summary: "Read how much a project may send and keep, and what it uses of that",
  answer: single(200, "The limits and what is used of them.", quota),
});

export const updateQuota = operation(method.updateQuota, "PUT /projects/:project/error_tracking/quota", {
  tag,
  summary: "Set the limits of a project",
  more,
  params: limits,
  oneOf: [["day_limit_bytes"], ["kept_limit_bytes"]],
  answer: single(200, "The limits and what is used of them.", quota),
  async run({ params: { day_limit_bytes: day, kept_limit_bytes: kept }, invoke }) {
    const response = await invoke({
      dayLimitBytes: day.bytes,
      keptLimitBytes: kept.bytes,
      useDefaultDayLimit: day.isReset,
      useDefaultKeptLimit: kept.isReset,
    });
    return present(response.quota);
  },
});

export const listQuotas = operation(method.listQuotas, "GET /application/quotas", {
  tag,
  summary: "List the projects that keep most",
  answer: single(200, "At most 100, the one that keeps most first.", quotas),
});

export const getDefaultQuota = operation(method.getDefaultQuota, "GET /application/default_quota", {
  tag,
  summary: "Read the limits of the projects that have none of their own",
  answer: single(200, "The limits of the projects that have none of their own.", defaultQuota),
});

export const updateDefaultQuota = operation(method.updateDefaultQuota, "PUT /application/default_quota", {
  tag,
  summary: "Set the limits of the projects that have none of their own",
  more,
  params: limits,
  oneOf: [["day_limit_bytes"], ["kept_limit_bytes"]],
  answer: single(200, "The limits of the projects that have none of their own.", defaultQuota),
  async run({ params: { day_limit_bytes: day, kept_limit_bytes: kept }, invoke }) {
    const response = await invoke({
      dayLimitBytes: day.bytes,
      keptLimitBytes: kept.bytes,
      resetDayLimit: day.isReset,
      resetKeptLimit: kept.isReset,
    });
    return present(response.defaultQuota);
  },
});

/** A limit in bytes, or the word `default`. */
function byteLimit(what: string): Parameter<{ readonly bytes?: bigint; readonly isReset: boolean }> {
  return {
    schema: {
      description: `${what}: a whole number of bytes, 0 for no limit, or 1,000,000 (1 MB) to 1,000,000,000,000,000 (1 PB).`,
      examples: [20_000_000_000],
      anyOf: [
        { type: "integer", const: 0 },
        { type: "integer", minimum: 1e6, maximum: 1e15 },
        { type: "string", const: "default", description: "Takes back what was set." },
      ],
    },
    read(value, name) {
      if (value === undefined || value === null) return { isReset: false };
      if (value === "default") return { isReset: true };
      const digits = typeof value === "number" ? String(value) : value;
      if (typeof digits === "string" && /^\d{1,18}$/.test(digits)) return { bytes: BigInt(digits), isReset: false };
      throw invalidField(name, `Give ${name} as a whole number of bytes, 0 for no limit, or as \`default\`.`);
    },
  };
}
