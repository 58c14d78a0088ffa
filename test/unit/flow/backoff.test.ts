import { backoff, jittered } from "@faultline/plugin/flow";
import { test } from "uvu";
import * as assert from "uvu/assert";

test("a wait doubles with each failure in a row, up to the longest", () => {
  const waits = [1, 2, 3, 4, 5, 2_000].map((failures) => backoff(failures, { firstMs: 100, longestMs: 700 }));
  assert.equal(waits, [100, 200, 400, 700, 700, 700]);
});

test("a jittered wait is 50 to 100 % of it", () => {
  assert.equal(
    [0, 0.5, 1].map((random) => jittered(400, random)),
    [200, 300, 400],
  );
});

test.run();
