import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { isoTime } from "./iso-time.ts";
import { flag, time } from "./schema.ts";
import type { Fields } from "./shape.ts";

/** The fields of every answer that counts by hour. */
export const hours: Fields<{ readonly startTime?: Timestamp }> = {
  start: [time("The first hour."), ({ startTime }) => isoTime(startTime)],
  interval: [{ type: "string", const: "1h", description: "The span of one entry." }, () => "1h"],
};

/** The field of answers whose last hour still counts. */
export const lastHourRunning: Fields<{ readonly lastHourRunning: boolean }> = {
  last_hour_running: [flag("The last hour is not over yet."), (answer) => answer.lastHourRunning],
};
