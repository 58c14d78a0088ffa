import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { invalidField } from "./service-error.ts";
import { hourMs, millisecondsOf } from "./times.ts";

const maxHours = 2160;

/** Whole hours, counted from 1970. */
export interface HourWindow {
  readonly first: number;
  readonly length: number;
  readonly lastHourRunning: boolean;
}

/** The hours a request asks for; without a start those that end with the running one. Refuses more than 90 days. */
export function hourWindow(
  { startTime, hourCount }: { startTime?: Timestamp | undefined; hourCount: number },
  { now, defaultHours }: { now: number; defaultHours: number },
): HourWindow {
  const length = hourCount || defaultHours;
  if (length > maxHours) throw invalidField("hour_count", "Request 1 to 2,160 hours (90 days).");
  const running = Math.floor(now / hourMs);
  const first = startTime ? Math.floor(millisecondsOf(startTime) / hourMs) : running - length + 1;
  return { first, length, lastHourRunning: first + length - 1 >= running };
}
