import * as assert from "uvu/assert";
import type { Feature, Outcome, Program } from "./feature.ts";

/**
 * A claim about the events with the tag `case` as it is in `of`: which of them are one error. An error is given as the
 * titles of its events, so that a title that names nothing fails too.
 */
export function grouped(
  name: string,
  of: string,
  errors: readonly (readonly string[])[],
  program: Program = "grouping",
): Feature {
  return {
    name,
    program,
    check: (outcome) => assert.equal(errorsOf(outcome, of), errors.map((titles) => titles.toSorted()).toSorted(byText)),
  };
}

/** So many events with one title: an error of a fault that happened so often. */
export const times = (count: number, title: string): readonly string[] => Array.from({ length: count }, () => title);

function errorsOf({ events }: Outcome, of: string): readonly (readonly string[])[] {
  const errors = Map.groupBy(
    events.filter(({ tags }) => tags["case"] === of),
    ({ errorId }) => errorId,
  );
  return [...errors.values()].map((ofError) => ofError.map(({ title }) => title).toSorted()).toSorted(byText);
}

const byText = (a: readonly string[], b: readonly string[]) => a.join().localeCompare(b.join());
