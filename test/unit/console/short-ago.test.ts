import { suite } from "uvu";
import * as assert from "uvu/assert";
import { lagTime, shortAgo } from "../../../console/src/lib/time/relative-time.ts";

const ago = suite("short distance");
const now = Date.UTC(2026, 10, 21, 4);

for (const [seconds, text] of [
  [-5, "0 s ago"], // a clock that is ahead
  [0, "0 s ago"],
  [4.9, "4 s ago"],
  [59.9, "59 s ago"],
  [60, "1 min ago"],
  [3599, "59 min ago"],
  [3600, "1 h ago"],
  [7300, "2 h ago"],
] as const) {
  ago(`${seconds} s are ${text}`, () => assert.is(shortAgo(now - seconds * 1000, now), text));
}

ago.run();

const behind = suite("how far something lies behind");

for (const [milliseconds, text] of [
  [0, "0 s"],
  [450, "0.4 s"],
  [9_999, "9.9 s"],
  [10_000, "10 s"],
  [59_999, "59 s"],
  [60_000, "1 min"],
  [3_599_999, "59 min"],
  [7_300_000, "2 h"],
] as const) {
  behind(`${milliseconds} ms are ${text}`, () => assert.is(lagTime(milliseconds), text));
}

behind.run();
