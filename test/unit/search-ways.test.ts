import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  cheapestWay,
  isTakingOutCheaper,
  type Estimate,
  type Way,
} from "../../plugins/integrated-backend/src/search/planning/ways.ts";

const test = suite("ways of searches");

/** A word of three letters that every fifth of 100,000 errors has. All of these errors match. */
const common: Estimate = {
  errorCount: 100_000,
  statusShares: [0.7, 0.2, 0.1],
  share: 0.2,
  isCommon: true,
  fewest: { count: 20_000, listed: 0 },
  pieces: [[["con"]]],
  withPieces: 20_000,
  tagCount: 0,
  mostCounted: 1_000,
};

const ways: readonly (readonly [claim: string, estimate: Partial<Estimate>, way: Way])[] = [
  ["a common word is counted in the order of the index", {}, "by status"],
  [
    "a rare word is looked at whole",
    { share: 0.001, isCommon: false, withPieces: 100, fewest: { count: 100, listed: 0 } },
    "few",
  ],
  [
    "what nearly all have is found by walking",
    { share: 0.9, withPieces: 90_000, fewest: { count: 90_000, listed: 0 } },
    "walk",
  ],
  ["two letters are not looked up for each status", { pieces: [[["co"]]] }, "among"],
  ["a common tag alone has no order of texts", { pieces: [], withPieces: 100_000, tagCount: 1 }, "among"],
];
for (const [claim, estimate, way] of ways) {
  test(claim, () => assert.is(cheapestWay({ ...common, ...estimate }), way));
}

for (const [excluded, count, isCheaper] of [
  [20_000, 10_000, true],
  [80_000, 10_000, false],
  [20_000, 100, false],
] as const) {
  const way = isCheaper ? "are taken out of" : "are looked up for each of";
  test(`${excluded} excluded errors ${way} ${count} candidates`, () =>
    assert.is(isTakingOutCheaper(excluded, { count, listed: 0 }), isCheaper));
}

test.run();
