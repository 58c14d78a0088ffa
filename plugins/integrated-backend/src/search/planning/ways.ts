import type { Pieces } from "../../storage.ts";

/**
 * How a search finds its errors. `few` examines all candidates. `among` walks the errors in the order of a list, and
 * examines the candidates among them until a page or a count is full. `walk` examines all errors in the same way. `by
 * status` reads the errors of each status in the order of the index of texts until its count is full, and walks only
 * for the page.
 */
export type Way = "few" | "among" | "walk" | "by status";

/** Errors that may match. */
export interface Candidates {
  readonly count: number;
  /** The number of further errors that are listed to find them. */
  readonly listed: number;
}

/** The estimate that a draw gives for a search. */
export interface Estimate {
  readonly errorCount: number;
  /** The fraction of all errors with each status. */
  readonly statusShares: readonly number[];
  /** The fraction of all errors that match. */
  readonly share: number;
  /** Whether enough errors match for a walk to find the first page quickly. */
  readonly isCommon: boolean;
  /** The smallest set of candidates, by one index or by two together. */
  readonly fewest: Candidates;
  /** The pieces to look up in the index of texts, and the number of errors that have them. */
  readonly pieces: Pieces;
  readonly withPieces: number;
  readonly tagCount: number;
  /** The maximum errors of each status to count. */
  readonly mostCounted: number;
}

/**
 * Costs in microseconds on SQLite with 100,000 errors, also used for the choice on PostgreSQL. All costs are 1.5 times
 * as high there, except that a walk without tags counts in the table of texts and costs half.
 */
const costs = {
  /** Examining an error by its id, in the order of ids: most errors are on separate pages. */
  byId: 2,
  /** Examining an error along the index of a sort. */
  alongIndex: 2.5,
  /** Listing a candidate and keeping it. */
  listed: 0.6,
  /** Skipping an index entry with an error that is not a candidate. */
  passed: 0.15,
  /** Examining an error in the order of the index of texts, plus `tag` for each required tag. */
  inIndexOrder: 1.5,
  tag: 2,
  /** Looking up whether a candidate has a tag: 5 on PostgreSQL, 8 on SQLite. */
  lookedUp: 5,
};

/** Errors of a usual page. */
const shownErrors = 20;

/** Microseconds to examine all candidates. */
export const costOfFew = ({ count, listed }: Candidates) => listed * costs.listed + count * costs.byId;

/** Whether removing all errors that a term excludes from the candidates costs less than examining each candidate. */
export const isTakingOutCheaper = (excluded: number, { count }: Candidates) =>
  (excluded + count) * costs.listed < count * costs.lookedUp;

/** The cheapest way. */
export function cheapestWay(estimate: Estimate): Way {
  const { errorCount, statusShares, share, isCommon, fewest, pieces, withPieces, tagCount, mostCounted } = estimate;
  // For each status, errors are read until the count is full.
  const readAmong = (among: number) =>
    statusShares.reduce((sum, part) => sum + Math.min(part * among, (mostCounted * among) / (share * errorCount)), 0);
  const listing = (fewest.listed + fewest.count) * costs.listed;
  const perEntry = costs.passed + Math.min(1, fewest.count / errorCount) * costs.alongIndex;
  const page = Math.min(Math.max(...statusShares) * errorCount, shownErrors / share) * perEntry;
  // Two letters match many trigrams, and each status would read their lists.
  const isInIndexOrder = pieces.length > 0 && pieces.flat(2).every((piece) => Array.from(piece).length > 2);
  const lists = withPieces * statusShares.length * costs.passed;
  const rows = readAmong(withPieces) * (costs.inIndexOrder + tagCount * costs.tag);
  const byCost: readonly (readonly [cost: number, way: Way])[] = [
    [costOfFew(fewest), "few"],
    [listing + readAmong(errorCount) * perEntry + page, "among"],
    [readAmong(errorCount) * costs.alongIndex, "walk"],
    [isInIndexOrder ? lists + rows + (isCommon ? 0 : listing) + page : Infinity, "by status"],
  ];
  return byCost.reduce((best, one) => (one[0] < best[0] ? one : best))[1];
}
