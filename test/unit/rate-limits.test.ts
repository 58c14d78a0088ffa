import type { RateCategory, RateLimit } from "@faultline/plugin";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { RateLimits, type Rates } from "../../backend/src/ingest/rate-limits.ts";

const test = suite("rate limits");

/** Limits on a clock that the test moves. */
function limitsOf(rates: Rates) {
  const clock = { at: 1_000_000, now: () => clock.at };
  const limits = new RateLimits(clock, rates);
  const spend = (keyId: number, category: RateCategory = "error", projectId = 1) =>
    limits.spend({ keyId, projectId }, category);
  /** Spends until it is refused, at most 10,000 times; how often it was not. */
  const spendAll = (keyId: number, category: RateCategory = "error", projectId = 1) => {
    for (let taken = 0; taken < 10_000; taken++) if (spend(keyId, category, projectId)?.isExceeded) return taken;
    return Infinity;
  };
  return { clock, spend, spendAll };
}

const refused = (retryAfterSeconds: number, scope: RateLimit["scope"]): RateLimit => ({
  isExceeded: true,
  retryAfterSeconds,
  scope,
});

test("a key takes ten seconds' worth at once, then refuses until there is room", () => {
  const { clock, spend, spendAll } = limitsOf({ perKey: 5, perProject: 0 });
  assert.is(spendAll(7), 50);
  assert.equal(spend(7), refused(1, "key"));
  clock.at += 1000;
  assert.is(spendAll(7), 5);
  clock.at += 3_600_000;
  assert.is(spendAll(7), 50);
});

test("from 90 % on, what is taken comes with a warning", () => {
  const { spend } = limitsOf({ perKey: 5, perProject: 0 });
  const warned = Array.from({ length: 50 }, () => spend(7)).map((limit) => limit !== undefined);
  assert.is(warned.indexOf(true), 45);
  assert.equal(new Set(warned.slice(45)), new Set([true]));
  assert.is(spend(7)?.isExceeded, true);
});

test("the limit of the project holds for all of its keys together, and names itself", () => {
  const { spend, spendAll } = limitsOf({ perKey: 5, perProject: 6 });
  assert.is(spendAll(1), 50);
  assert.is(spendAll(2), 10);
  assert.equal(spend(2), refused(1, "project"));
  assert.is(spend(3, "error", 2), undefined);
});

test("what one limit refuses is not taken from the other", () => {
  const { clock, spendAll } = limitsOf({ perKey: 1, perProject: 2 });
  assert.is(spendAll(1), 10);
  assert.is(spendAll(1), 0);
  assert.is(spendAll(2), 10);
  clock.at += 1000;
  assert.is(spendAll(2), 1);
});

test("categories are limited apart", () => {
  const { spendAll } = limitsOf({ perKey: 1, perProject: 0 });
  assert.is(spendAll(1, "error"), 10);
  assert.is(spendAll(1, "session"), 10);
  assert.is(spendAll(1, "feedback"), 10);
});

test("0 is no limit", () => {
  const { spendAll } = limitsOf({ perKey: 0, perProject: 0 });
  assert.is(spendAll(1), Infinity);
});

test("a clock that is set back fills nothing and refuses no longer than before", () => {
  const { clock, spend, spendAll } = limitsOf({ perKey: 1, perProject: 0 });
  assert.is(spendAll(1), 10);
  clock.at -= 86_400_000;
  assert.equal(spend(1), refused(1, "key"));
  clock.at += 1000;
  assert.is(spendAll(1), 1);
});

test("whatever is spent when, a key never takes more than its burst and its rate times the time", () => {
  const { clock, spend } = limitsOf({ perKey: 3, perProject: 0 });
  const start = clock.at;
  let taken = 0;
  for (let n = 0; n < 5_000; n++) {
    clock.at += (n * 7919) % 97; // 0 to 96 ms, in no order
    if (!spend(1)?.isExceeded) taken++;
    assert.ok(taken <= 30 + (3 * (clock.at - start)) / 1000 + 1);
  }
  assert.ok(taken >= (3 * (clock.at - start)) / 1000);
});

test.run();
