import { ServiceError, type ProjectUsage } from "@faultline/plugin";
import { test } from "uvu";
import * as assert from "uvu/assert";
import {
  changedLimits,
  defaultLimits,
  holdingLimits,
  notSet,
  type LimitChange,
  bytesToEvict,
  isRoomBeside,
  largestProjects,
  verdictOf,
} from "../../backend/src/services/quotas/limits.ts";

const gigabyte = 1e9;
const nothing: LimitChange = { resetDay: false, resetKept: false };

test("a project keeps a quarter of the disk, 10 GB where no disk is seen, and half of what it keeps comes in a day", () => {
  assert.equal(defaultLimits(notSet, 80 * gigabyte), { kept: 20 * gigabyte, day: 10 * gigabyte });
  assert.equal(defaultLimits(notSet, undefined), { kept: 10 * gigabyte, day: 5 * gigabyte });
  assert.equal(defaultLimits({ day: null, kept: 2 * gigabyte }, undefined), { kept: 2 * gigabyte, day: gigabyte });
  assert.equal(defaultLimits({ day: 0, kept: null }, undefined), { kept: 10 * gigabyte, day: 0 });
  assert.equal(defaultLimits({ day: null, kept: 0 }, undefined), { kept: 0, day: 0 }, "no limit, and half of none");
});

test("ten minutes of 300 plain events of 5 kB a second fit into a day, from a disk of 8 GB on", () => {
  const storm = 300 * 600 * (5_000 + 512);
  assert.ok(defaultLimits(notSet, 8 * gigabyte).day >= storm);
  assert.ok(defaultLimits(notSet, undefined).day >= storm);
});

test("a project's own limit holds, and where it has none the default", () => {
  const defaults = { day: 5, kept: 10 };
  assert.equal(holdingLimits(notSet, defaults, undefined), defaults);
  assert.equal(holdingLimits({ day: 0, kept: null }, defaults, undefined), { day: 0, kept: 10 });
  assert.equal(holdingLimits({ day: 7, kept: 0 }, defaults, undefined), { day: 7, kept: 0 });
  assert.equal(
    holdingLimits({ day: null, kept: 6 }, notSet, gigabyte),
    { day: 3, kept: 6 },
    "half of what it may keep",
  );
  assert.equal(holdingLimits({ day: null, kept: 0 }, notSet, gigabyte), { day: 0, kept: 0 }, "none of either");
});

for (const [what, change, changed] of [
  ["a limit of a day", { dayLimitBytes: 1_000_000n }, { day: 1_000_000, kept: 4e6 }],
  ["the largest limit", { keptLimitBytes: 10n ** 15n }, { day: 3e6, kept: 1e15 }],
  ["no limit", { keptLimitBytes: 0n }, { day: 3e6, kept: 0 }],
  ["more a day than is kept, for those who want the newest", { dayLimitBytes: 9_000_000n }, { day: 9e6, kept: 4e6 }],
  ["a limit that is taken back", { resetKept: true }, { day: 3e6, kept: null }],
  ["both at once", { dayLimitBytes: 0n, resetKept: true }, { day: 0, kept: null }],
] as const) {
  test(`${what} is taken`, () => {
    assert.equal(changedLimits({ day: 3e6, kept: 4e6 }, { ...nothing, ...change }), changed);
  });
}

for (const [what, change, field] of [
  ["less than a megabyte", { dayLimitBytes: 999_999n }, "day_limit_bytes"],
  ["more than a petabyte", { keptLimitBytes: 10n ** 15n + 1n }, "kept_limit_bytes"],
  ["a limit that is set and taken back", { keptLimitBytes: 0n, resetKept: true }, "kept_limit_bytes"],
  ["no change", {}, "day_limit_bytes"],
] as const) {
  test(`${what} is refused in a sentence`, () => {
    try {
      changedLimits(notSet, { ...nothing, ...change });
    } catch (error) {
      assert.instance(error, ServiceError);
      const refusal = error as ServiceError;
      assert.is(refusal.field, field);
      assert.match(refusal.message, /^(A limit is|Set a limit) .*\.$/);
      return;
    }
    assert.unreachable();
  });
}

for (const [what, use, verdict] of [
  ["room in both", { day: 99, kept: 999, isShutOut: false }, undefined],
  ["the day's limit reached", { day: 100, kept: 0, isShutOut: false }, "day"],
  ["what may be kept reached", { day: 0, kept: 1000, isShutOut: false }, "kept"],
  ["both reached: the day's, which takes longer", { day: 100, kept: 1000, isShutOut: true }, "day"],
  ["a disk that gets full, for the largest", { day: 0, kept: 999, isShutOut: true }, "disk"],
] as const) {
  test(`${what}: ${verdict ?? "stored"}`, () => assert.is(verdictOf(use, { day: 100, kept: 1000 }), verdict));
}

test("without limits nothing is too much, but a disk that gets full", () => {
  const limits = { day: 0, kept: 0 };
  assert.is(verdictOf({ day: 1e15, kept: 1e15, isShutOut: false }, limits), undefined);
  assert.is(verdictOf({ day: 0, kept: 0, isShutOut: true }, limits), "disk");
  assert.is(bytesToEvict(1e15, 0, true), 0);
});

test("eviction begins above 95 % of the limit and ends at 93 %, so that it does not begin with each event", () => {
  assert.is(bytesToEvict(950, 1000, false), 0);
  assert.is(bytesToEvict(951, 1000, false), 21);
  assert.is(bytesToEvict(940, 1000, true), 10);
  assert.is(bytesToEvict(930, 1000, true), 0);
});

for (const [what, kept, beside, isRoom] of [
  ["within the limit, whatever it is of", 1000, 1000, true],
  ["beyond it, with half of it beside events: its events give way", 1400, 500, true],
  ["beyond it, with more than half beside events", 1001, 501, false],
] as const) {
  test(`an upload is ${isRoom ? "stored" : "refused"} ${what}`, () => {
    assert.is(isRoomBeside({ kept, beside }, { kept: 1000 }), isRoom);
    assert.is(isRoomBeside({ kept, beside }, { kept: 0 }), true);
  });
}

for (const [what, kept, largest] of [
  ["no project", [], []],
  ["a project alone", [1000], []],
  ["two of equal size", [500, 500], []],
  ["one that dwarfs the others", [25, 1000, 10], [1]],
  ["one that keeps half beside many small ones", [3, 3, 3, 12, 3], [3]],
  ["two that keep most together", [400, 380, 100, 60, 60], [0, 1]],
  ["projects without a byte, which are none", [1000, 0, 0, 0], []],
] as const) {
  test(`what makes room near a full disk: ${what}`, () => {
    const usage = kept.map((keptBytes, projectId): ProjectUsage => ({
      projectId,
      keptBytes,
      eventCount: 1,
      isCounted: true,
    }));
    assert.equal([...largestProjects(usage)], [...largest]);
  });
}

test.run();
