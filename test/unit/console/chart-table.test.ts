import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sum } from "../../../console/src/lib/charts/chart-scale.ts";
import { hoursAsCsv, hoursWithEvents } from "../../../console/src/lib/charts/chart-table.ts";

const start = Date.UTC(2026, 8, 29, 22);
const hourMs = 3_600_000;
const counts = [3, 0, 37, 1];

const table = suite("chart as table");

table("hours with events come newest first, the others are left out", () => {
  assert.equal(hoursWithEvents(start, counts), [
    { start: start + 3 * hourMs, count: 1 },
    { start: start + 2 * hourMs, count: 37 },
    { start, count: 3 },
  ]);
});

table("table and chart have the same sum", () => {
  assert.is(sum(hoursWithEvents(start, counts).map(({ count }) => count)), sum(counts));
});

table("the CSV has every hour, oldest first, below a head line", () => {
  assert.is(
    hoursAsCsv(start, counts),
    [
      "hour,events",
      "2026-09-29T22:00:00.000Z,3",
      "2026-09-29T23:00:00.000Z,0",
      "2026-09-30T00:00:00.000Z,37",
      "2026-09-30T01:00:00.000Z,1",
    ].join("\n"),
  );
});

table("no hours are no rows", () => {
  assert.equal(hoursWithEvents(start, []), []);
  assert.is(hoursAsCsv(start, []), "hour,events");
});

table.run();
