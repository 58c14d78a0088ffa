import { suite } from "uvu";
import * as assert from "uvu/assert";
import { SignInThrottle } from "../../backend/src/access/sign-in-throttle.ts";

const throttle = suite("sign-in throttle");

function blockedAt(start: number) {
  const clock = { at: start, now: () => clock.at };
  const made = new SignInThrottle(clock);
  for (let n = 0; n < 10; n++) made.began("ann");
  return { clock, throttle: made };
}

throttle("the tenth attempt within a minute blocks the name, in whatever letters", () => {
  const { throttle: made } = blockedAt(0);
  assert.ok(made.isBlocked("ann"));
  assert.ok(made.isBlocked("ANN"));
});

throttle("nine attempts do not block", () => {
  const made = new SignInThrottle({ now: () => 0 });
  for (let n = 0; n < 9; n++) made.began("ann");
  assert.not(made.isBlocked("ann"));
});

throttle("another name is not blocked", () => assert.not(blockedAt(0).throttle.isBlocked("bob")));

throttle("a minute later the name is free", () => {
  const { clock, throttle: made } = blockedAt(5_000);
  clock.at += 59_999;
  assert.ok(made.isBlocked("ann"));
  clock.at += 1;
  assert.not(made.isBlocked("ann"));
});

throttle("success forgives the attempts before it", () => {
  const { throttle: made } = blockedAt(0);
  made.succeeded("Ann");
  assert.not(made.isBlocked("ann"));
});

throttle.run();
