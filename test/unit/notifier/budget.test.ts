import { test } from "uvu";
import * as assert from "uvu/assert";
import { afterDigest, hold, spend, type BudgetState } from "../../../plugins/notifier/src/channels/budget.ts";

const minuteMs = 60_000;
const whole: BudgetState = { budget: 5, budget_at: 0, digest_at: null, digest_minutes: 10 };

test("five messages are sent one by one, then all are held for a digest ten minutes later", () => {
  let state = whole;
  const isHeld = Array.from({ length: 7 }, (_, n) => {
    const spent = spend(state, n);
    state = spent.state;
    return spent.isHeld;
  });
  assert.equal(isHeld, [false, false, false, false, false, true, true]);
  assert.equal(state, { budget: 0, budget_at: 0, digest_at: 5 + 10 * minuteMs, digest_minutes: 10 });
});

test("a message comes back each ten minutes, up to five, and a clock that went back refills none", () => {
  const spent = { ...whole, budget: 0, budget_at: minuteMs };
  const after = (now: number) => {
    const { budget, budget_at } = hold(spent, now);
    return [budget, budget_at];
  };
  assert.equal(after(10 * minuteMs), [0, minuteMs]);
  assert.equal(after(12 * minuteMs), [1, 11 * minuteMs]);
  assert.equal(after(100 * minuteMs), [5, 91 * minuteMs]);
  assert.equal(after(0), [0, 0]);
});

test("digests follow after 10, 20, 40 and 60 minutes while there is something to gather, and then end", () => {
  let state: BudgetState = { ...whole, digest_at: 0 };
  const waits = Array.from({ length: 4 }, () => {
    state = afterDigest(state, 0, 1);
    return state.digest_at;
  });
  assert.equal(waits, [20 * minuteMs, 40 * minuteMs, 60 * minuteMs, 60 * minuteMs]);
  assert.equal(afterDigest(state, 0, 0), whole);
});

test("only the budget's columns of a row are restored, so that no lease is undone", () => {
  const row = { ...whole, lease_token: null, state: 1 };
  for (const state of [spend(row, 1).state, hold(row, 1), afterDigest(row, 1, 0), afterDigest(row, 1, 1)]) {
    assert.equal(Object.keys(state).toSorted(), Object.keys(whole).toSorted());
  }
});

test.run();
