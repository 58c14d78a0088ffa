import { DeprecationState } from "@faultline/proto";
import type { NoticeRow } from "./notices.ts";
import { monthOf, releasedAt, releasedBefore, type Release } from "./release.ts";

/** What an installation stands for: its release, and whether it is the hosted offering. */
export interface Platform {
  readonly release: Release;
  readonly isHosted: boolean;
}

/** Where a notice stands (specification 9.2). */
export function stateOf(row: NoticeRow, { release, isHosted }: Platform): DeprecationState {
  const month = monthOf(release);
  const { announcedIn, endOfSupportIn, removedIn } = row;
  if (month < monthOf(announcedIn)) return DeprecationState.NOT_ANNOUNCED;
  if (removedIn === undefined) return DeprecationState.ADDED;
  if (removedIn === "unnamed") return DeprecationState.REMOVED;
  // The month before a release begins with the release before it; from then on the hosted offering may do without.
  if (month >= monthOf(removedIn) - (isHosted ? 1 : 0)) return DeprecationState.REMOVED;
  if (endOfSupportIn !== undefined && month >= monthOf(endOfSupportIn)) return DeprecationState.UNSUPPORTED;
  return DeprecationState.DEPRECATED;
}

/** Whether requests that use what a notice is about are refused. */
export function isRefused(row: NoticeRow, platform: Platform): boolean {
  const state = stateOf(row, platform);
  return state === DeprecationState.UNSUPPORTED || state === DeprecationState.REMOVED;
}

/**
 * When requests begin to be refused, in milliseconds: with the end of support, else with the removing release, on the
 * hosted offering a month before. Rule 3 of specification 9.2 is about removals, so the end of support comes nowhere early.
 */
export function endsAt({ endOfSupportIn, removedIn }: NoticeRow, isHosted: boolean): number | undefined {
  if (endOfSupportIn !== undefined) return releasedAt(endOfSupportIn);
  if (removedIn === undefined || removedIn === "unnamed") return undefined;
  return isHosted ? releasedBefore(removedIn) : releasedAt(removedIn);
}
