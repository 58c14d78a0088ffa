import { test } from "uvu";
import * as assert from "uvu/assert";
import type { TrackedError } from "../../../console/src/lib/messages.ts";
import {
  activityByProject,
  burningFirst,
  trendOf,
  type ProjectActivity,
} from "../../../console/src/lib/projects/project-activity.ts";

const hour = 3_600_000;
const start = Date.UTC(2026, 8, 1);
const hours = (counts: Readonly<Record<number, number>>) => Array.from({ length: 24 }, (_, n) => counts[n] ?? 0);

const error = (errorId: string, counts: Readonly<Record<number, number>>, from = start) =>
  ({
    errorId,
    title: `Error ${errorId}`,
    hourlyCounts: hours(counts),
    hourlyCountsStartTime: new Date(from).toISOString(),
  }) as TrackedError;

const trend = (eventCount: number) => ({
  counts: hours({ 0: eventCount }),
  startTime: undefined,
  eventCount,
  isPartial: false,
  errors: [],
});
const activity = (projectId: number, openCount: number | undefined, newCount: number, eventCount: number) => ({
  projectId,
  openCount,
  newCount,
  trend: trend(eventCount),
});

const orders: [claim: string, activity: ProjectActivity[], order: string][] = [
  ["more events come first", [activity(1, 9, 9, 3), activity(2, 1, 0, 7)], "b a"],
  ["with as many events, more new errors come first", [activity(1, 9, 1, 3), activity(2, 1, 2, 3)], "b a"],
  ["then more unresolved errors, then the path", [activity(1, 1, 0, 0), activity(2, 2, 0, 0)], "b a"],
  ["alike projects come by path", [activity(2, 1, 0, 0), activity(1, 1, 0, 0)], "a b"],
  ["projects without errors come after those that do not count them", [activity(1, 0, 0, 0), { projectId: 2 }], "b a"],
  ["projects that are not asked come last", [activity(2, 0, 0, 0)], "b a"],
];
for (const [claim, parts, order] of orders) {
  test(`in the list of projects ${claim}`, () => {
    const projects = [
      { projectId: 1, path: "a" },
      { projectId: 2, path: "b" },
    ];
    const sorted = burningFirst(projects, activityByProject(parts));
    assert.is(sorted.map(({ path }) => path).join(" "), order);
  });
}

test("a later part of what is known of a project adds to the earlier one", () => {
  const known = activityByProject([{ projectId: 1 }, { projectId: 1, openCount: 3 }, { projectId: 1, newCount: 2 }]);
  assert.equal(known.get(1), { projectId: 1, openCount: 3, newCount: 2 });
});

test("the trend is the sum of the errors' hours, also of hours read in the hour before", () => {
  const { counts, eventCount, startTime } = trendOf(
    [error("1", { 0: 2, 23: 1 }, start + hour), error("2", { 0: 5, 1: 4 })],
    2,
    -Infinity,
  );
  assert.equal(counts, hours({ 0: 6, 23: 1 }));
  assert.is(eventCount, 7);
  assert.is(startTime, new Date(start + hour).toISOString());
});

test("the two errors with the most events are named, and none without events", () => {
  const named = (errors: TrackedError[]) =>
    trendOf(errors, errors.length, -Infinity).errors.map(({ errorId }) => errorId);
  assert.equal(named([error("1", { 1: 1 }), error("2", { 1: 3 }), error("3", { 2: 2 })]), ["2", "3"]);
  assert.equal(named([error("1", {}), error("2", { 1: 3 })]), ["2"]);
});

const partial: [claim: string, listed: TrackedError[], open: number, leastSeen: number, isPartial: boolean][] = [
  ["whole where all errors were read", [error("1", { 1: 1 })], 1, start + hour, false],
  ["whole where the others were last seen before", [error("1", { 1: 1 })], 2, start - hour, false],
  ["partial where others may have been seen since", [error("1", { 1: 1 })], 2, start + hour, true],
  ["partial where none of its errors was read", [], 2, start, true],
  ["whole where it has no errors", [], 0, start, false],
];
for (const [claim, listed, open, leastSeen, isPartial] of partial) {
  test(`the trend of a project is ${claim}`, () => assert.is(trendOf(listed, open, leastSeen).isPartial, isPartial));
}

test.run();
