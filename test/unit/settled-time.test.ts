import { test } from "uvu";
import * as assert from "uvu/assert";
import { afterRunning, believedAfterMs, type SettledTime } from "../../backend/src/host/age-clock.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const start = Date.UTC(2026, 0, 10);
const known: SettledTime = { settledAt: start, clockAt: start, differsMs: 0 };

/** Runs for some hours, looking each hour at a clock that is wrong by so much. */
function run(before: SettledTime, truth: number, hours: number, wrongBy: number): [SettledTime, truth: number] {
  let [after, at] = [before, truth];
  for (let hour = 0; hour < hours; hour++) {
    at += hourMs;
    after = afterRunning(after, { now: at + wrongBy, ranMs: hourMs });
  }
  return [after, at];
}

for (const wrongBy of [hourMs, dayMs, 3_650 * dayMs, -hourMs, -dayMs, -3_650 * dayMs])
  test(`a clock wrong by ${wrongBy / hourMs} h is not believed before 72 hours of running, and then it is`, () => {
    const [doubted, at] = run(known, start, believedAfterMs / hourMs, wrongBy);
    assert.is(doubted.settledAt, at);
    const [believed, later] = run(doubted, at, 1, wrongBy);
    assert.is(believed.settledAt, later + wrongBy);
  });

test("a clock that comes back in between changes nothing, however often it goes", () => {
  let [now, at]: [SettledTime, number] = [known, start];
  for (let time = 0; time < 50; time++) {
    [now, at] = run(now, at, 71, 3_650 * dayMs);
    [now, at] = run(now, at, 1, 0);
  }
  assert.is(now.settledAt, at);
});

test("of several jumps the smallest is used", () => {
  const [first, at] = run(known, start, 40, dayMs);
  const [second, later] = run(first, at, 40, 3_650 * dayMs);
  assert.is(second.settledAt, later + dayMs);
});

test("small jumps again and again are doubted together", () => {
  let [now, at]: [SettledTime, number] = [known, start];
  for (let n = 1; n <= 60; n++) [now, at] = run(now, at, 1, n * 59_000);
  assert.is(now.settledAt, at);
});

test("a machine that is switched off each night catches up to within some days", () => {
  let [now, at]: [SettledTime, number] = [known, start];
  for (let day = 0; day < 100; day++) {
    [now, at] = run(now, at, 12, 0);
    at += 12 * hourMs;
    assert.ok(at - now.settledAt < 14 * dayMs, `day ${day}`);
  }
});

test("after a month without a start it is right within 73 hours of running", () => {
  const [now, at] = run(known, start + 30 * dayMs, 73, 0);
  assert.is(now.settledAt, at);
});

test.run();
