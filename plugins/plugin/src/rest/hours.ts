import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { isoTime } from "./iso-time.ts";
import { time } from "./schema.ts";
import type { Fields } from "./shape.ts";

/** The fields of every answer that counts by hour. */
export const hours: Fields<{ readonly startTime?: Timestamp | undefined }> = {
  start: [time("The first hour."), ({ startTime }) => isoTime(startTime)],
  interval: [{ type: "string", const: "1h", description: "The span of one entry." }, () => "1h"],
};
