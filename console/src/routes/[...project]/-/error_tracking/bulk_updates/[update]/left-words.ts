/** The words for a bulk update and the errors that it skipped. */

import { pastVerb } from "#lib/errors/status.ts";
import type { BulkUpdate, TrackedError } from "#lib/messages.ts";
import { counted, fullNumber } from "#lib/number-format.ts";

/** An error that a bulk update skipped. */
export interface LeftError {
  readonly errorId: string;
  /** The current state. Undefined if the error is deleted. */
  readonly error: TrackedError | undefined;
}

/** Whether a skipped error exists and does not have the status of the bulk update yet. */
export const canBeChanged = ({ newStatus }: Pick<BulkUpdate, "newStatus">, error: TrackedError | undefined) =>
  error !== undefined && error.status !== newStatus;

/** The result of a bulk update, such as `Resolved 1,046 of 1,048 errors that matched “cart”.` */
export function changedWords({
  newStatus,
  changedCount,
  foundCount,
  query,
}: Pick<BulkUpdate, "newStatus" | "changedCount" | "foundCount" | "query">): string {
  const matching = query === "" ? "" : ` that matched “${query}”`;
  return `${pastVerb(newStatus)} ${fullNumber(changedCount)} of ${counted(foundCount, "error")}${matching}.`;
}

/** Why a bulk update skipped an error. */
export function whyLeft(error: Pick<TrackedError, "reopenedTime"> | undefined): string {
  if (error === undefined) return "It was deleted.";
  return error.reopenedTime === undefined ? "Somebody changed its status first." : "A new event reopened it.";
}
