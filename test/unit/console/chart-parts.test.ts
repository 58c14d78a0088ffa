import { suite } from "uvu";
import * as assert from "uvu/assert";
import { partPaths } from "../../../console/src/lib/charts/chart-scale.ts";
import { hoursAsCsv } from "../../../console/src/lib/charts/chart-table.ts";

const parts = suite("parts of bars");

/** Left, bottom, top and right of each bar of a path. */
const boxes = (path: string) =>
  [...path.matchAll(/M([\d.-]+) ([\d.-]+)V([\d.-]+)H([\d.-]+)V([\d.-]+)Z/g)].map((match) => match.slice(1).map(Number));

parts("each part stands on the one before", () => {
  const [crashed = "", errored = ""] = partPaths([[10], [30]], 100, 0);
  assert.equal(boxes(crashed), [[0, 100, 90, 1, 100]]);
  assert.equal(boxes(errored), [[0, 90, 60, 1, 90]]);
});

parts("one crash among a hundred thousand sessions is seen, and the part above it moves up", () => {
  const [crashed = "", errored = ""] = partPaths([[1], [1]], 100_000, 0);
  assert.equal(boxes(crashed), [[0, 100, 96, 1, 100]]);
  assert.equal(boxes(errored), [[0, 96, 92, 1, 96]]);
});

parts("an hour without the part has no bar, and the next part starts at the ground", () => {
  const [crashed = "", errored = ""] = partPaths(
    [
      [0, 50],
      [50, 0],
    ],
    100,
    0,
  );
  assert.equal(boxes(crashed), [[1, 100, 50, 2, 100]]);
  assert.equal(boxes(errored), [[0, 100, 50, 1, 100]]);
});

parts("no parts are no paths", () => assert.equal(partPaths([], 4), []));

parts("the CSV has a column for each part", () => {
  const start = Date.UTC(2026, 8, 29, 22);
  const asked = { name: "sessions", parts: [{ name: "crashed", counts: [1, 0] }] };
  assert.is(
    hoursAsCsv(start, [7, 3], asked),
    ["hour,sessions,crashed", "2026-09-29T22:00:00.000Z,7,1", "2026-09-29T23:00:00.000Z,3,0"].join("\n"),
  );
});

parts.run();
