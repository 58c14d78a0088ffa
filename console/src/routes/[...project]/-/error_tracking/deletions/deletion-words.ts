/** The words for deletions and discards. */

import { statusName } from "#lib/errors/status.ts";
import type { Deletion, Discard } from "#lib/messages.ts";
import { counted, fullNumber } from "#lib/number-format.ts";
import { dayTime } from "#lib/time/time-format.ts";

/** The subject of a deletion: a title, or the number of errors. */
export function deletedErrors({ foundCount, title, allMatching, query, status }: Deletion): string {
  if (foundCount === 1 && title !== "") return `“${title}”`;
  if (!allMatching) return counted(foundCount, "error");
  const kind = status === "ERROR_STATUS_UNSPECIFIED" ? "" : `${statusName(status)} `;
  const matching = query === "" ? "" : ` matching “${query}”`;
  return `all ${fullNumber(foundCount)} ${kind}${foundCount === 1 ? "error" : "errors"}${matching}`;
}

/** The progress of a deletion. */
export function deletionProgress(deletion: Deletion): string {
  const { state, deletedCount, foundCount, erasedEventCount, eventCount, restoredCount } = deletion;
  switch (state) {
    case "DELETION_STATE_HIDING":
      return `${fullNumber(deletedCount)} of ${fullNumber(foundCount)} removed from the lists`;
    case "DELETION_STATE_HIDDEN":
      return "Removed from the lists; erased once undo expires";
    case "DELETION_STATE_ERASING":
      return `${fullNumber(Number(erasedEventCount))} of ${counted(Number(eventCount), "event")} erased`;
    case "DELETION_STATE_ERASED":
      return `${counted(Number(erasedEventCount), "event")} erased`;
    case "DELETION_STATE_RESTORING":
      return `${fullNumber(restoredCount)} of ${fullNumber(deletedCount)} restored`;
    case "DELETION_STATE_RESTORED":
      return restoredWords(deletion);
    default:
      return "";
  }
}

/** The result of an undo, such as `2 restored; 1 of them has new events in a new error`. */
export function restoredWords({ restoredCount, supersededCount }: Deletion): string {
  const restored = `${fullNumber(restoredCount)} restored`;
  if (supersededCount === 0) return restored;
  const have = supersededCount === 1 ? "has" : "have";
  return `${restored}; ${fullNumber(supersededCount)} of them ${have} new events in a new error`;
}

/** Whether its page needs a new reading soon. */
export const isUnderWay = ({ state }: Deletion) =>
  state === "DELETION_STATE_HIDING" || state === "DELETION_STATE_ERASING" || state === "DELETION_STATE_RESTORING";

/** The time until which events are discarded. */
export function discardEnd({ end }: Discard, zone: string): string {
  if (end && "time" in end && end.time !== undefined) return dayTime(Date.parse(end.time), zone);
  if (end && "eventCount" in end && end.eventCount !== undefined) return `${counted(end.eventCount, "event")} came`;
  if (end && "release" in end && end.release !== undefined) return `release ${end.release}`;
  return "somebody ends it";
}
