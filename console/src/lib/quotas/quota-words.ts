/** The sentences about a project's quota. Pure. */

import type { Quota } from "../messages.ts";
import { byteSize, counted } from "../number-format.ts";

/** The use and the limit of a bar. */
export interface QuotaBar {
  /** The use in percent of the limit, at most 100. Undefined if there is no limit. */
  readonly percent: number | undefined;
  /** `1.2 GB of 5 GB (24 %)`. */
  readonly text: string;
  readonly state: "fine" | "near" | "full";
}

/** From these shares of a limit on, a bar shows a warning. */
const near = 80;
const full = 95;

export function quotaBar(used: number, limit: number): QuotaBar {
  if (limit === 0) return { percent: undefined, text: `${byteSize(used)}, without a limit`, state: "fine" };
  const percent = Math.min(100, Math.floor((used / limit) * 100));
  return {
    percent,
    text: `${byteSize(used)} of ${byteSize(limit)} (${percent} %)`,
    state: percent >= full ? "full" : percent >= near ? "near" : "fine",
  };
}

/** The names of the kinds of stored data, by their names in the core. */
const partNames: Readonly<Record<string, string>> = {
  events: "events",
  "source-maps": "uploads of source maps",
  "release-records": "releases",
};

/** The kinds of the kept bytes: `1.2 GB of events, 300 MB of releases`. Empty if there are only events. */
export function whatIsKept({ keptParts }: Pick<Quota, "keptParts">): string {
  const parts = keptParts.filter(({ bytes }) => Number(bytes) > 0);
  if (parts.every(({ name }) => name === "events")) return "";
  return parts.map(({ name, bytes }) => `${byteSize(Number(bytes))} of ${partNames[name] ?? name}`).join(", ");
}

const retentionDays = 90;

/**
 * The days of events that fit into the quota, estimated from the last complete days; empty if unknown. Stored events
 * are compressed and take less than received events, so this is only a lower bound.
 */
export function daysThatFit({ bytesPerDay, keptLimitBytes }: Pick<Quota, "bytesPerDay" | "keptLimitBytes">): string {
  const days = bytesPerDay.map(Number);
  const first = days.findIndex((bytes) => bytes > 0);
  const limit = Number(keptLimitBytes);
  if (first < 0 || limit === 0) return "";
  const rated = days.slice(first);
  const mean = rated.reduce((sum, bytes) => sum + bytes, 0) / rated.length;
  const fit = Math.floor(limit / mean);
  const span = rated.length === 1 ? "of yesterday" : `of the last ${rated.length} days`;
  if (fit >= retentionDays) return `At the rate ${span}, the limit holds all ${retentionDays} days of events.`;
  if (fit < 1) return `At the rate ${span}, the limit holds less than a day of events.`;
  return `At the rate ${span}, the limit holds at least ${counted(fit, "day")} of events.`;
}
