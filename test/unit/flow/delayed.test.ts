import { mock } from "node:test";
import { Delayed } from "@faultline/plugin/flow";
import { test } from "uvu";
import * as assert from "uvu/assert";

let done = 0;
const work = () => {
  done += 1;
};
test.before.each(() => {
  done = 0;
  mock.timers.enable({ apis: ["setTimeout"] });
});
test.after.each(() => mock.timers.reset()); // the runner has other timers

test("the work is done once for all who wanted it within the delay, which begins with the first of them", () => {
  const delayed = new Delayed(250, work);
  delayed.later();
  mock.timers.tick(200);
  delayed.later();
  assert.is(done, 0);
  mock.timers.tick(50);
  assert.is(done, 1);
  mock.timers.tick(1_000);
  assert.is(done, 1);
  delayed.later();
  mock.timers.tick(250);
  assert.is(done, 2);
});

test("work that is done now is not done later again", () => {
  const delayed = new Delayed(250, work);
  delayed.later();
  delayed.now();
  assert.is(done, 1);
  mock.timers.tick(1_000);
  assert.is(done, 1);
});

test.run();
