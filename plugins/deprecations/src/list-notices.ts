import type { Notice } from "@faultline/plugin";
import { DeprecationState } from "@faultline/proto";
import { describe } from "./describe.ts";
import { notices, type NoticeRow } from "./notices.ts";
import { monthOf } from "./release.ts";
import type { Platform } from "./state.ts";

/**
 * Every notice with its state on a platform: first those that still work, by the time of their removal, then the
 * removed ones, the last first, then the new ones, then those not announced yet.
 */
export function listNotices(platform: Platform): Notice[] {
  return notices
    .map((row) => ({ row, notice: describe(row, platform) }))
    .toSorted((one, other) => rank(one) - rank(other) || distance(one) - distance(other))
    .map(({ notice }) => notice);
}

interface Described {
  readonly row: NoticeRow;
  readonly notice: Notice;
}

function rank({ notice }: Described): number {
  switch (notice.state) {
    case DeprecationState.DEPRECATED:
    case DeprecationState.UNSUPPORTED:
      return 0;
    case DeprecationState.REMOVED:
      return 1;
    case DeprecationState.ADDED:
      return 2;
    default:
      return 3;
  }
}

function distance({ row: { announcedIn, removedIn }, notice }: Described): number {
  const month = monthOf(removedIn === undefined || removedIn === "unnamed" ? announcedIn : removedIn);
  return notice.state === DeprecationState.REMOVED ? -month : month;
}
