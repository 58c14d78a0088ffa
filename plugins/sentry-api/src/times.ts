import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { hourMs, invalidField, millisecondsOf, timestamp } from "@faultline/plugin";
import type { ApiCall } from "./call.ts";

/**
 * A time for bodies, such as `2024-05-01T10:20:30.000Z`, with microseconds if it has them, like in breadcrumbs; null if
 * undefined.
 */
export function isoTime(time: Timestamp | undefined): string | null {
  if (!time) return null;
  const text = new Date(millisecondsOf(time)).toISOString();
  const micros = Math.floor(time.nanos / 1000) % 1000;
  return micros === 0 ? text : text.replace("Z", `${String(micros).padStart(3, "0")}Z`);
}

const unitMs: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: hourMs,
  d: 24 * hourMs,
  w: 7 * 24 * hourMs,
};

/** A time window; unbounded if it has no start or end. */
export interface Window {
  readonly startTime?: Timestamp;
  readonly endTime?: Timestamp;
}

/**
 * The window from `statsPeriod`, such as `14d`, or from `start` and `end`; unbounded by default. `periodIsWindow` is
 * false if `statsPeriod` selects the counts for each issue instead.
 */
export function windowOf({ query, now }: ApiCall, { periodIsWindow = true } = {}): Window {
  const period = periodIsWindow ? (query.get("statsPeriod") ?? "") : "";
  const start = query.get("start") ?? "";
  const end = query.get("end") ?? "";
  if (period !== "" && start + end !== "") {
    throw invalidField("statsPeriod", "Give either statsPeriod, or start and end.");
  }
  if (period !== "") {
    const [, count, unit = ""] = /^(\d{1,5})([smhdw])$/.exec(period) ?? [];
    if (count === undefined) throw invalidField("statsPeriod", "Invalid statsPeriod. Give for example 24h or 14d.");
    return { startTime: timestamp(now - Number(count) * (unitMs[unit] ?? 0)) };
  }
  if ((start === "") !== (end === "")) throw invalidField("start", "start and end are both required");
  if (start === "") return {};
  return { startTime: timestamp(dateOf("start", start)), endTime: timestamp(dateOf("end", end)) };
}

const latestMs = Date.UTC(9999, 11, 31);

function dateOf(name: string, text: string): number {
  const hasZone = /(Z|[+-]\d\d:?\d\d)$/i.test(text);
  const ms =
    /^\d{4}-\d\d-\d\d/.test(text) && text.length <= 40
      ? Date.parse(hasZone || text.length === 10 ? text : `${text}Z`)
      : NaN;
  if (!(ms >= 0 && ms <= latestMs))
    throw invalidField(name, `Invalid ${name}. Give a time such as 2024-05-01T10:20:30Z.`);
  return ms;
}
