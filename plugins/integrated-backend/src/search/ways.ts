import type { Pieces } from "./pieces.ts";

/**
 * How a search finds its errors. `few`: all that may match are looked at. `among`: the order of a list is walked, and those
 * among them are looked at until a page or a count is full. `walk`: so are all errors. `by status`: each count reads the
 * errors of its status in the order of the index of texts until it is full, and only the page walks.
 */
export type Way = "few" | "among" | "walk" | "by status";

/** Errors that may match. */
export interface Candidates {
  readonly count: number;
  /** How many more are listed to find them. */
  readonly listed: number;
}

/** What a draw says of a search. */
export interface Estimate {
  readonly errorCount: number;
  /** The part of all errors that has each status. */
  readonly statusShares: readonly number[];
  /** The part of all errors that matches. */
  readonly share: number;
  /** Whether so many match that the first page is found at once by walking. */
  readonly isCommon: boolean;
  /** What may match by the index, or the two, that leaves the fewest. */
  readonly fewest: Candidates;
  /** What is looked up in the index of texts, and how many errors have it. */
  readonly pieces: Pieces;
  readonly withPieces: number;
  readonly tagCount: number;
  /** Of each status. */
  readonly mostCounted: number;
}

/**
 * Microseconds, of SQLite and 100,000 errors; they choose for PostgreSQL too. There they are half as much again, except that
 * a walk without tags counts in the table of texts and costs half.
 */
const costs = {
  /** Looking at an error by its id, in the order of ids: most lie on pages of their own. */
  byId: 2,
  /** Looking at an error along an index of a sort. */
  alongIndex: 2.5,
  /** Listing an error that may match, and remembering it. */
  listed: 0.6,
  /** Passing an entry of an index over, as its error is not among them. */
  passed: 0.15,
  /** Looking at an error in the order of the index of texts, and for each tag that it must have. */
  inIndexOrder: 1.5,
  tag: 2,
};

/** Errors of a page, as a rule. */
const shownErrors = 20;

/** Microseconds to look at all candidates. */
export const costOfFew = ({ count, listed }: Candidates) => listed * costs.listed + count * costs.byId;

/** The way of the least cost. */
export function cheapestWay(estimate: Estimate): Way {
  const { errorCount, statusShares, share, isCommon, fewest, pieces, withPieces, tagCount, mostCounted } = estimate;
  // Of each status so many of its errors are read until the count is full.
  const readAmong = (among: number) =>
    statusShares.reduce((sum, part) => sum + Math.min(part * among, (mostCounted * among) / (share * errorCount)), 0);
  const listing = (fewest.listed + fewest.count) * costs.listed;
  const perEntry = costs.passed + Math.min(1, fewest.count / errorCount) * costs.alongIndex;
  const page = Math.min(Math.max(...statusShares) * errorCount, shownErrors / share) * perEntry;
  // Two letters are many trigrams, and those lists would be read for each status.
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
