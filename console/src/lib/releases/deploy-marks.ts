import type { Deploy } from "#lib/messages.ts";

const hourMs = 3_600_000;

/** The number of places for marks in a chart: on a phone each place is 12 px wide, the width of a mark. */
const places = 24;

/** A mark in a chart. */
export interface DeployMark {
  /** The position in the chart, from 0 to 1. */
  readonly at: number;
  /** The deploys of the mark, newest first. */
  readonly deploys: readonly Deploy[];
}

/** The marks of the deploys within a chart's hours, oldest first. Marks that would overlap become a single mark. */
export function deployMarks(
  deploys: readonly Deploy[],
  { start, hourCount }: { readonly start: number; readonly hourCount: number },
): DeployMark[] {
  const within = deploys
    .map((deploy) => ({ deploy, at: (Date.parse(deploy.finishedTime ?? "") - start) / (hourCount * hourMs) }))
    .filter(({ at }) => at >= 0 && at < 1)
    .toSorted((one, other) => other.at - one.at);
  const marks = Map.groupBy(within, ({ at }) => Math.floor(at * places));
  return [...marks.values()]
    .map((group) => ({ at: group[0]?.at ?? 0, deploys: group.map(({ deploy }) => deploy) }))
    .toReversed();
}
