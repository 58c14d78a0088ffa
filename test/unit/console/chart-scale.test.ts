import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  axisTop,
  barPath,
  dailyCounts,
  peakIndex,
  sum,
  trendWord,
} from "../../../console/src/lib/charts/chart-scale.ts";

const axis = suite("axis");

for (const [maximum, top] of [
  [0, 4],
  [1, 4],
  [4, 4],
  [5, 6],
  [7, 8],
  [9, 10],
  [10, 10],
  [11, 20],
  [21, 40],
  [41, 60],
  [61, 80],
  [81, 100],
  [90, 100],
  [100, 100],
  [101, 200],
  [1000, 1000],
  [1204, 2000],
  [999_999, 1_000_000],
] as const) {
  axis(`the axis of at most ${maximum} ends at ${top}`, () => assert.is(axisTop(maximum), top));
}

axis("the half of every axis is whole, and no bar leaves it", () => {
  for (let maximum = 0; maximum < 20_000; maximum++) {
    const top = axisTop(maximum);
    assert.is(top % 2, 0);
    assert.ok(top >= maximum && top >= 4 && top <= Math.max(4, maximum * 2), `${maximum}: ${top}`);
  }
});

axis.run();

const bars = suite("bars");

bars("an hour without events draws nothing", () => assert.is(barPath([0, 0], 4), ""));
bars("a bar is as wide as an hour without the gap, and as high as its share", () => {
  assert.is(barPath([2], 4, 0.2), "M0.1 100V50H0.9V100Z");
});
bars("a bar stands at its hour", () => assert.is(barPath([0, 4], 4, 0), "M1 100V0H2V100Z"));
bars("one event among many stays visible", () => assert.is(barPath([1], 100_000, 0), "M0 100V98.5H1V100Z"));
bars("the running hour is drawn alone on the same axis", () => {
  const counts = [4, 2];
  const top = axisTop(Math.max(...counts));
  const complete = barPath([...counts.slice(0, -1), 0], top);
  const running = barPath([0, counts.at(-1) ?? 0], top);
  assert.is(complete + running, barPath(counts, top));
});

bars.run();

const counts = suite("counts");

counts("the peak is the highest hour, the latest of equals", () => {
  assert.is(peakIndex([1, 3, 2]), 1);
  assert.is(peakIndex([1, 3, 3]), 2);
  assert.is(peakIndex([0, 0]), 1);
  assert.is(peakIndex([]), 0);
});

counts("days are sums of 24 hours, the last of what is left", () => {
  assert.equal(dailyCounts(Array.from({ length: 50 }, () => 1)), [24, 24, 2]);
  assert.equal(dailyCounts([]), []);
  const quarter = Array.from({ length: 2160 }, (_, hour) => hour % 7);
  assert.is(dailyCounts(quarter).length, 90);
  assert.is(sum(dailyCounts(quarter)), sum(quarter));
});

for (const [trend, word] of [
  [[0, 0, 0, 0], "none"],
  [[], "none"],
  [[1, 1, 1, 1], "steady"],
  [[2, 2, 3, 3], "steady"],
  [[2, 2, 3, 4], "rising"],
  [[0, 0, 0, 1], "rising"],
  [[1, 0, 0, 0], "falling"],
  [[4, 3, 2, 2], "falling"],
] as const) {
  counts(`the trend of ${trend.join(" ") || "nothing"} is ${word}`, () => assert.is(trendWord(trend), word));
}

counts.run();
