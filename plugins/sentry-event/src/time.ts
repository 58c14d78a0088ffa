import type { ErrorEvent } from "@faultline/proto";
import type { JsonField } from "./json.ts";
import { limits } from "./limits.ts";

/** A protobuf timestamp. */
export type Timestamp = NonNullable<ErrorEvent["receivedTime"]>;

/**
 * A time as SDKs write it, in milliseconds since 1970 with microseconds as fraction: seconds as number or numeric text,
 * from 1e11 on milliseconds, from 1e14 on microseconds, from 1e17 on nanoseconds, or RFC 3339, where a missing zone means UTC (section 5). Undefined for anything else, and
 * before 1970.
 */
export function readTime(value: JsonField): number | undefined {
  if (typeof value === "number") return fromNumber(value);
  if (typeof value !== "string" || value.length > 64) return undefined;
  const text = value.trim();
  return /^\d+(\.\d+)?$/.test(text) ? fromNumber(Number(text)) : fromRfc3339(text);
}

/**
 * A time from the sender's clock, corrected if that clock is far off (section 5, "Clock drift"). Without `sentAt` the
 * clock is trusted.
 */
export function readSentTime(
  value: JsonField,
  { receivedAt, sentAt = receivedAt }: { receivedAt: number; sentAt?: number | undefined },
): number | undefined {
  const sent = readTime(value);
  const drift = receivedAt - sentAt;
  return sent === undefined || Math.abs(drift) < limits.time.drift ? sent : sent + drift;
}

/** The time at which an event counts as having happened: `at`, or the bound it exceeds. */
export function boundedTime(at: number, receivedAt: number): number {
  const { past, future } = limits.time;
  return Math.min(Math.max(at, receivedAt - past), receivedAt + future);
}

/** Whether the stored time of an event is one of its bounds, to the millisecond. */
export function isBound(occurredAt: number, receivedAt: number): boolean {
  const { past, future } = limits.time;
  return [past, pastBefore, -future].includes(receivedAt - occurredAt);
}

/** The bound of version 0.1.0. It can go 91 days after nobody upgrades from there: then all its events are deleted. */
const pastBefore = 30 * 24 * 3_600_000;

/** Milliseconds since 1970 as protobuf timestamp, to the microsecond: a double holds no more. */
export function toTimestamp(ms: number): Timestamp {
  const seconds = Math.floor(ms / 1000);
  const micros = Math.round((ms - seconds * 1000) * 1000);
  return micros < 1_000_000
    ? { $typeName: "google.protobuf.Timestamp", seconds: BigInt(seconds), nanos: micros * 1000 }
    : { $typeName: "google.protobuf.Timestamp", seconds: BigInt(seconds + 1), nanos: 0 };
}

function fromNumber(value: number): number | undefined {
  const ms = millisecondsOfNumber(value);
  return ms > 0 && ms <= LATEST ? ms : undefined;
}

/** The unit shows in the size: no two units share the times of the years 1973 to 5138. */
function millisecondsOfNumber(value: number): number {
  if (value < 1e11) return value * 1000;
  if (value < 1e14) return value;
  return value < 1e17 ? value / 1000 : value / 1e6;
}

/** The end of the year 9999, the last one a protobuf timestamp can hold. */
const LATEST = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

const RFC_3339 = /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(\.\d{1,12})? ?(?:[Zz]|([+-])(\d\d):?(\d\d))?$/;

// Not Date.parse: it takes a time without a zone as local time and stops at milliseconds.
function fromRfc3339(text: string): number | undefined {
  const match = RFC_3339.exec(text);
  if (!match) return undefined;
  const [, year, month, day, hour, minute, second, fraction = "0", sign, offsetHour = "0", offsetMinute = "0"] = match;
  if (Number(month) > 12 || Number(day) > 31 || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 60) {
    return undefined;
  }
  const utc = Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second));
  const offset = (Number(offsetHour) * 60 + Number(offsetMinute)) * 60_000;
  const ms = utc + Number(fraction) * 1000 - (sign === "-" ? -offset : offset);
  return ms > 0 && ms <= LATEST ? ms : undefined;
}
