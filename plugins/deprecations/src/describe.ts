import { timestamp, type Notice } from "@faultline/plugin";
import type { NoticeRow } from "./notices.ts";
import { releasedAt } from "./release.ts";
import { stateOf, type Platform } from "./state.ts";

/** Said of a replacement that this service does not have. */
export const notServed = "not part of this service";

/** A notice with its state on a platform. */
export function describe(row: NoticeRow, platform: Platform): Notice {
  const removedIn = row.removedIn === "unnamed" ? undefined : row.removedIn;
  return {
    deprecationId: row.id,
    area: row.area,
    subject: row.subject,
    change: row.change,
    replacement: replacementOf(row),
    announcedIn: row.announcedIn,
    endOfSupportIn: row.endOfSupportIn ?? "",
    removedIn: removedIn ?? "",
    isBreaking: row.isBreaking,
    state: stateOf(row, platform),
    announcedTime: timestamp(releasedAt(row.announcedIn)),
    ...(removedIn !== undefined && { removalTime: timestamp(releasedAt(removedIn)) }),
  };
}

function replacementOf({ replacement, isServed, isSameInterface }: NoticeRow): string {
  if (replacement === undefined) return "";
  return isServed || isSameInterface ? replacement : `${replacement} (${notServed})`;
}
