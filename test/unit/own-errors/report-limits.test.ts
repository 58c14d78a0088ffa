import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ReportLimits } from "../../../backend/src/host/own-errors/own-errors.ts";

const limits = suite("report limits");

/** Limits on a clock that the test moves, and how many of `count` different errors they take. */
function limited() {
  const clock = { at: 1_000_000, now: () => clock.at };
  const reports = new ReportLimits(clock);
  let made = 0;
  const taken = (count: number) => Array.from({ length: count }, () => reports.take(`error ${++made}`)).filter(Boolean);
  return { clock, reports, taken: (count: number) => taken(count).length };
}

limits("ten go at once, and then one a second", () => {
  const { clock, taken } = limited();
  assert.is(taken(50), 10);
  clock.at += 999;
  assert.is(taken(5), 0);
  clock.at += 1;
  assert.is(taken(5), 1);
  clock.at += 3_000;
  assert.is(taken(50), 3);
  clock.at += 60_000;
  assert.is(taken(50), 10);
});

limits("the same error goes once a minute, and costs no room when it does not", () => {
  const { clock, reports, taken } = limited();
  assert.ok(reports.take("same"));
  for (let count = 0; count < 100; count++) assert.not(reports.take("same"));
  assert.is(taken(20), 9);
  clock.at += 59_999;
  assert.not(reports.take("same"));
  clock.at += 1;
  assert.ok(reports.take("same"));
});

limits("a hundred go an hour, and the next when the first is an hour old", () => {
  const { clock, taken } = limited();
  let sum = 0;
  for (let minute = 0; minute < 30; minute++) {
    sum += taken(10);
    clock.at += 60_000;
  }
  assert.is(sum, 100);
  clock.at += 29 * 60_000;
  assert.is(taken(10), 0);
  clock.at += 60_001;
  assert.is(taken(10), 10);
});

limits("a clock that is set back does not silence the reports", () => {
  const { clock, reports, taken } = limited();
  assert.ok(reports.take("same"));
  for (let minute = 0; minute < 30; minute++) {
    taken(10);
    clock.at += 60_000;
  }
  clock.at -= 7 * 86_400_000;
  reports.take("to see the clock");
  clock.at += 10_000;
  assert.ok(reports.take("same"));
  assert.is(taken(20), 9);
});

limits("a flood of different errors has the same bounds", () => {
  const { clock, taken } = limited();
  let sum = 0;
  for (let n = 0; n < 100; n++) {
    sum += taken(100);
    clock.at += 20;
  }
  assert.is(sum, 11);
});

limits.run();
