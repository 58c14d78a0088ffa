import { timestampFromDate, type Timestamp } from "@bufbuild/protobuf/wkt";
import { InvalidArgumentError } from "commander";

/** A time from the command line; refuses what is none. */
export function timeIn(text: string): Timestamp {
  const time = new Date(text);
  if (Number.isNaN(time.getTime())) throw new InvalidArgumentError("Give a time such as 2026-11-25T10:00:00Z.");
  return timestampFromDate(time);
}
