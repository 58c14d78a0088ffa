import { test } from "uvu";
import * as assert from "uvu/assert";
import { deployMarks } from "../../../console/src/lib/releases/deploy-marks.ts";

const hourMs = 3_600_000;
const start = Date.UTC(2026, 10, 26);

const deploy = (deployId: number, hour: number) => ({
  deployId,
  version: "v1",
  environment: "production",
  name: "",
  url: "",
  finishedTime: new Date(start + hour * hourMs).toISOString(),
});

/** Ids of the deploys of each mark of a chart of so many hours. */
const marked = (hourCount: number, ...hours: number[]) =>
  deployMarks(
    hours.map((hour, n) => deploy(n + 1, hour)),
    { start, hourCount },
  ).map(({ at, deploys }) => [at, ...deploys.map(({ deployId }) => deployId)]);

test("a mark shows the hour in which the deploy finished", () => {
  assert.equal(marked(24, 18, 6), [
    [0.25, 2],
    [0.75, 1],
  ]);
});

test("deploys outside of the hours have no mark", () => assert.equal(marked(24, 24, -0.5), []));

test("deploys that would overlap are one mark at the newest of them", () => {
  assert.equal(marked(240, 9.5, 1), [[9.5 / 240, 1, 2]]);
});

test("a chart never has more than 24 marks", () => {
  assert.is(marked(168, ...Array.from({ length: 100 }, (_, n) => n * 1.68)).length, 24);
});

test.run();
