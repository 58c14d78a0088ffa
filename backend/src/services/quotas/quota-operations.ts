import { invalidField } from "@faultline/plugin";
import {
  count,
  each,
  flag,
  isoTime,
  list,
  single,
  operation,
  orNull,
  positive,
  present,
  shape,
  text,
  time,
  type Parameter,
} from "@faultline/plugin/rest";
import { QuotaService, type DefaultQuota, type KeptPart, type ListQuotasResponse, type Quota } from "@faultline/proto";

const tag = "Quotas";
const { method } = QuotaService;

const keptPart = shape<KeptPart>("QuotaPart", "A part of the bytes kept.", {
  name: [text("`events`, or the plugin that keeps them: `source-maps`, `release-records`."), ({ name }) => name],
  bytes: [count("Its bytes."), ({ bytes }) => Number(bytes)],
});

const quota = shape<Quota>("Quota", "How much a project may send and keep, and what it uses of that.", {
  project_id: [positive("The project."), ({ projectId }) => projectId],
  path_with_namespace: [text("Its path."), ({ projectPath }) => projectPath],
  day_bytes: [count("Bytes received since 0:00 UTC."), ({ dayBytes }) => Number(dayBytes)],
  day_limit_bytes: [
    count("Bytes that may be received in a UTC day; what comes above it is refused. 0: no limit."),
    ({ dayLimitBytes }) => Number(dayLimitBytes),
  ],
  day_limit_is_default: [
    flag("The project has no limit of a day of its own."),
    ({ hasOwnDayLimit }) => !hasOwnDayLimit,
  ],
  day_ends_at: [time("When the day ends."), ({ dayEndTime }) => isoTime(dayEndTime)],
  kept_bytes: [
    count(
      "Bytes kept: events, that is their payloads and tags as stored and 512 bytes an event, uploads and records of releases.",
    ),
    ({ keptBytes }) => Number(keptBytes),
  ],
  kept_parts: each(keptPart, ({ keptParts }) => keptParts, { description: "What they are bytes of." }),
  kept_limit_bytes: [
    count(
      "Bytes that may be kept: from 95 % of it on the project's oldest events are deleted, or its oldest uploads where these are more, and at 100 % events are refused until that has made room. 0: no limit.",
    ),
    ({ keptLimitBytes }) => Number(keptLimitBytes),
  ],
  kept_limit_is_default: [
    flag("The project has no limit of bytes kept of its own."),
    ({ hasOwnKeptLimit }) => !hasOwnKeptLimit,
  ],
  event_count: [count("Events kept."), ({ eventCount }) => Number(eventCount)],
  bytes_per_day: [
    list(count(""), { description: "Bytes received in each of the last seven whole days, the oldest first." }),
    ({ bytesPerDay }) => bytesPerDay.map(Number),
  ],
  evicted_event_count: [
    count("Events that were deleted to stay within the limit, ever."),
    ({ evictedEventCount }) => Number(evictedEventCount),
  ],
  evicted_until: [
    orNull(time("Events received before this time were deleted for that reason; null: none were.")),
    ({ evictedUntilTime }) => isoTime(evictedUntilTime),
  ],
  last_evicted_at: [
    orNull(time("When the last of them was deleted.")),
    ({ lastEvictedTime }) => isoTime(lastEvictedTime),
  ],
  refused_because: [
    orNull(text("Why the project's events are refused now; null: its quota refuses none.")),
    ({ refusedBecause }) => refusedBecause || null,
  ],
});

const quotas = shape<ListQuotasResponse>("Quotas", "The projects that keep most.", {
  quotas: each(quota, (answer) => answer.quotas, { maxItems: 100, description: "The one that keeps most first." }),
  total_kept_bytes: [count("Bytes that all projects keep together."), ({ totalKeptBytes }) => Number(totalKeptBytes)],
  total_count: [count("How many projects there are."), ({ totalCount }) => totalCount],
});

const defaultQuota = shape<DefaultQuota>("DefaultQuota", "The limits of the projects that have none of their own.", {
  day_limit_bytes: [count("See Quota."), ({ dayLimitBytes }) => Number(dayLimitBytes)],
  day_limit_is_default: [
    flag("Nobody set it: it is half of the limit of bytes kept."),
    ({ hasOwnDayLimit }) => !hasOwnDayLimit,
  ],
  kept_limit_bytes: [count("See Quota."), ({ keptLimitBytes }) => Number(keptLimitBytes)],
  kept_limit_is_default: [
    flag(
      "Nobody set it: it is a quarter of the disk that holds the data, or 10 GB where the size of that disk is not known, as on PostgreSQL.",
    ),
    ({ hasOwnKeptLimit }) => !hasOwnKeptLimit,
  ],
  disk_bytes: [
    orNull(count("The size of the disk that holds the data; null: not known.")),
    ({ diskBytes }) => Number(diskBytes) || null,
  ],
});

const limits = {
  day_limit_bytes: byteLimit("Bytes that may be received in a UTC day"),
  kept_limit_bytes: byteLimit("Bytes that may be kept"),
};
const more = "Omitted fields keep their values.";

export const getQuota = operation(method.getQuota, "GET /projects/:project/error_tracking/quota", {
  tag,
  summary: "Read how much a project may send and keep, and what it uses of that",
  answer: single(200, "The limits and what is used of them.", quota),
  run: async ({ invoke }) => present((await invoke({})).quota),
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
  run: ({ invoke }) => invoke({}),
});

export const getDefaultQuota = operation(method.getDefaultQuota, "GET /application/default_quota", {
  tag,
  summary: "Read the limits of the projects that have none of their own",
  answer: single(200, "The limits of the projects that have none of their own.", defaultQuota),
  run: async ({ invoke }) => present((await invoke({})).defaultQuota),
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
