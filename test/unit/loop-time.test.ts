import { suite } from "uvu";
import * as assert from "uvu/assert";
import { LoopTime } from "../../backend/src/services/access/guard.ts";

const test = suite("loop time");

/** A loop that has been busy for as long as the test says. */
function loopTime() {
  const loop = { busyMs: 1_000 };
  return { loop, time: new LoopTime(() => loop.busyMs) };
}

test("a call that is alone is charged for all that the loop worked meanwhile", () => {
  const { loop, time } = loopTime();
  loop.busyMs += 5;
  const end = time.begin();
  loop.busyMs += 7;
  assert.is(end(), 7);
});

test("calls under way share what the loop works, and together are charged no more", () => {
  const { loop, time } = loopTime();
  const endLong = time.begin();
  loop.busyMs += 10;
  const endShort = time.begin();
  loop.busyMs += 10;
  assert.is(endShort(), 5);
  loop.busyMs += 10;
  assert.is(endLong(), 25);
});

test("nobody is charged for what the loop worked while no call was under way", () => {
  const { loop, time } = loopTime();
  time.begin()();
  loop.busyMs += 10;
  assert.is(time.begin()(), 0);
});

test.run();
