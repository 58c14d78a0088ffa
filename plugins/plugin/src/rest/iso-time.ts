import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { millisecondsOf } from "../times.ts";

/** A time as bodies carry it, such as `2024-05-01T10:20:30.000Z`; null when there is none. */
export function isoTime(time: Timestamp | undefined): string | null {
  return time ? new Date(millisecondsOf(time)).toISOString() : null;
}

/** The day of a time in UTC, such as `2024-05-01`; null when there is none. */
export function isoDay(time: Timestamp | undefined): string | null {
  return isoTime(time)?.slice(0, 10) ?? null;
}
