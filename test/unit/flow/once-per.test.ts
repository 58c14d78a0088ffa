import { OncePer } from "@faultline/plugin/flow";
import { test } from "uvu";
import * as assert from "uvu/assert";

test("it is due immediately, and then once in each interval in which it is asked", () => {
  let now = 5;
  const due = new OncePer(1_000, () => now);
  const answers = [5, 6, 1_004, 1_005, 1_006, 9_000, 9_999, 10_000].map((at) => {
    now = at;
    return due.take();
  });
  assert.equal(answers, [true, false, false, true, false, true, false, true]);
});

test.run();
