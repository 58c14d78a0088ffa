import { TokenBucket } from "@faultline/plugin/flow";
import { test } from "uvu";
import * as assert from "uvu/assert";

test("a bucket begins full, and fills at its rate up to its size", () => {
  const bucket = new TokenBucket(10, 2, 0);
  assert.ok(bucket.isFull);
  bucket.take(8);
  bucket.fill(1_500);
  assert.is(bucket.tokens, 5);
  bucket.fill(60_000);
  assert.is(bucket.tokens, 10);
  bucket.giveBack(3);
  assert.is(bucket.tokens, 10);
});

test("a clock that is set back fills nothing, and time counts from there on", () => {
  const bucket = new TokenBucket(10, 1, 100_000);
  bucket.take(10);
  bucket.fill(50_000);
  assert.is(bucket.tokens, 0);
  bucket.fill(53_000);
  assert.is(bucket.tokens, 3);
});

test("a debt is paid back before there are tokens, and has a maximum", () => {
  const bucket = new TokenBucket(10, 1, 0);
  bucket.take(25, 5);
  assert.is(bucket.tokens, -5);
  assert.is(bucket.secondsUntil(1), 6);
  bucket.take(0, 0);
  assert.is(bucket.tokens, 0);
  assert.is(bucket.secondsUntil(0), 0);
});

test("an endless bucket is full and never waited for", () => {
  const bucket = new TokenBucket(Infinity, Infinity, 0);
  bucket.take(1_000);
  bucket.fill(0);
  bucket.fill(1);
  assert.is(bucket.tokens, Infinity);
  assert.is(bucket.secondsUntil(Infinity), 0);
});

test("taken tokens stay taken after a change of size, without a debt", () => {
  const bucket = new TokenBucket(10, 1, 0);
  bucket.take(4);
  bucket.resize(20, 2);
  assert.is(bucket.tokens, 16);
  bucket.resize(2, 2);
  assert.is(bucket.tokens, 0);
  bucket.fill(1_000);
  assert.is(bucket.tokens, 2);
});

test.run();
