import { suite } from "uvu";
import * as assert from "uvu/assert";
import { movedOn } from "../../../console/src/lib/charts/hour-counts.ts";

const hour = 3_600_000;
const start = Date.parse("2026-09-30T12:00:00Z");
const counts = [1, 2, 3];

const window = suite("a window of hours");

const moves: [now: string, first: string, counts: number[]][] = [
  ["14:00:00", "12:00:00", [1, 2, 3]],
  ["14:59:59.999", "12:00:00", [1, 2, 3]],
  ["15:00:00", "13:00:00", [2, 3, 0]],
  ["15:30:00", "13:00:00", [2, 3, 0]],
  ["16:00:00", "14:00:00", [3, 0, 0]],
  ["17:00:00", "15:00:00", [0, 0, 0]],
  ["23:00:00", "21:00:00", [0, 0, 0]],
];

for (const [now, first, expected] of moves) {
  window(`that ended with 14:00 begins at ${first} when it is ${now}`, () => {
    const moved = movedOn({ start, counts }, Date.parse(`2026-09-30T${now}Z`));
    assert.equal(moved, { start: Date.parse(`2026-09-30T${first}Z`), counts: expected });
  });
}

window("that ends after the running hour stays: the service's clock may be ahead", () => {
  for (const now of [start - hour, start, start + hour])
    assert.equal(movedOn({ start, counts }, now), { start, counts });
});

window("is the same however many steps it moves in", () => {
  const once = movedOn({ start, counts }, start + 4 * hour);
  const twice = movedOn(movedOn({ start, counts }, start + 3 * hour), start + 4 * hour);
  assert.equal(twice, once);
});

window("without hours, or without a start, stays as it is", () => {
  assert.equal(movedOn({ start, counts: [] }, start + 9 * hour), { start, counts: [] });
  assert.is(movedOn({ start: Number.NaN, counts }, start).counts, counts);
});

window.run();
