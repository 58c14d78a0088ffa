import { DeprecationState } from "@faultline/proto";
import type { NoticeRow } from "./notices.ts";
import { monthOf, releasedAt, releasedBefore, type Release } from "./release.ts";

/** The release of an installation, and whether it is the hosted offering. */
export interface Platform {
  readonly release: Release;
  readonly isHosted: boolean;
}

/** The state of a notice (specification 9.2). */
export function stateOf(row: NoticeRow, { release, isHosted }: Platform): DeprecationState {
  const month = monthOf(release);
  const { announcedIn, endOfSupportIn, removedIn } = row;
  if (month < monthOf(announcedIn)) return DeprecationState.NOT_ANNOUNCED;
  if (removedIn === undefined) return DeprecationState.ADDED;
  if (removedIn === "unnamed") return DeprecationState.REMOVED;
  // The month before a release begins with the release before it; the hosted offering may remove from then on.
  if (month >= monthOf(removedIn) - (isHosted ? 1 : 0)) return DeprecationState.REMOVED;
  if (endOfSupportIn !== undefined && month >= monthOf(endOfSupportIn)) return DeprecationState.UNSUPPORTED;
  return DeprecationState.DEPRECATED;
}

/** Whether requests that a notice concerns are refused. */
export function isRefused(row: NoticeRow, platform: Platform): boolean {
  const state = stateOf(row, platform);
  return state === DeprecationState.UNSUPPORTED || state === DeprecationState.REMOVED;
}

/**
 * When requests begin to be refused, in milliseconds: at the end of support, otherwise at the removing release, on the
 * hosted offering a month before. Rule 3 of specification 9.2 is about removals, so the end of support is never early.
 */
export function endsAt({ endOfSupportIn, removedIn }: NoticeRow, isHosted: boolean): number | undefined {
  if (endOfSupportIn !== undefined) return releasedAt(endOfSupportIn);
  if (removedIn === undefined || removedIn === "unnamed") return undefined;
  return isHosted ? releasedBefore(removedIn) : releasedAt(removedIn);
}
