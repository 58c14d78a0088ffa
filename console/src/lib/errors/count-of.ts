import type { StatusCounts } from "../messages.ts";
import type { StatusTab } from "../navigation/route.ts";

/** The number of errors that a tab lists. */
export const countOf = (counts: StatusCounts, status: StatusTab): number =>
  status === "all" ? counts.unresolved + counts.resolved + counts.ignored : counts[status];
