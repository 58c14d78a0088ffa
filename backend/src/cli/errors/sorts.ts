import { ErrorSort } from "@faultline/proto";

/** The orders of lists of errors, by their words. */
export const sorts = {
  last_seen: ErrorSort.LAST_SEEN,
  first_seen: ErrorSort.FIRST_SEEN,
  events: ErrorSort.EVENT_COUNT,
  users: ErrorSort.USER_COUNT,
} as const;
