import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { millisecondsOf } from "../times.ts";
import { time } from "./schema.ts";
import type { Fields } from "./shape.ts";

/** A time in bodies, such as `2024-05-01T10:20:30.000Z`. Null if it is undefined. */
export function isoTime(moment: Timestamp | undefined): string | null {
  return moment ? new Date(millisecondsOf(moment)).toISOString() : null;
}

/** The UTC day of a time, such as `2024-05-01`. Null if it is undefined. */
export function isoDay(moment: Timestamp | undefined): string | null {
  return isoTime(moment)?.slice(0, 10) ?? null;
}

/** The fields of every answer that counts by hour. */
export const hours: Fields<{ readonly startTime?: Timestamp | undefined }> = {
  start: [time("The first hour."), ({ startTime }) => isoTime(startTime)],
  interval: [{ type: "string", const: "1h", description: "The span of one entry." }, () => "1h"],
};
