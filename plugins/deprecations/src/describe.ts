import { timestamp, type Notice } from "@faultline/plugin";
import type { NoticeRow } from "./notices.ts";
import { releasedAt } from "./release.ts";
import { stateOf, type Platform } from "./state.ts";

/** A notice as it stands on a platform. */
export function describe(row: NoticeRow, platform: Platform): Notice {
  const removedIn = row.removedIn === "unnamed" ? undefined : row.removedIn;
  return {
    deprecationId: row.id,
    area: row.area,
    subject: row.subject,
    change: row.change,
    replacement: row.replacement ?? "",
    announcedIn: row.announcedIn,
    endOfSupportIn: row.endOfSupportIn ?? "",
    removedIn: removedIn ?? "",
    isBreaking: row.isBreaking,
    state: stateOf(row, platform),
    announcedTime: timestamp(releasedAt(row.announcedIn)),
    ...(removedIn !== undefined && { removalTime: timestamp(releasedAt(removedIn)) }),
  };
}
