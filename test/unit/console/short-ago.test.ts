import { suite } from "uvu";
import * as assert from "uvu/assert";
import { shortAgo } from "../../../console/src/lib/relative-time.ts";

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
