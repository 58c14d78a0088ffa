import { test } from "uvu";
import * as assert from "uvu/assert";
import { builtFrames } from "../../../plugins/source-maps/src/grouping/mapped-head.ts";

const address = "https://shop.example.com/app.js";
const stackOf = (name: string, count: number) => ({
  type: "Error",
  value: name,
  stacktrace: {
    frames: Array.from({ length: count }, (_, n) => ({
      function: `${name}${n}`,
      filename: address,
      lineno: 1,
      colno: n,
    })),
  },
});
const kept = (...values: readonly object[]) =>
  builtFrames({ exception: { values } } as never, new Map()).map((stack) => [
    stack.length,
    stack[0]?.function,
    stack.at(-1)?.function,
  ]);

test("frames of all stacks are taken, beginning with the exception that was caught last", () => {
  assert.equal(kept(stackOf("cause", 2), stackOf("main", 3)).slice(-2), [
    [3, "main0", "main2"],
    [2, "cause0", "cause1"],
  ]);
});

test("the newest 250 frames of an event with many stacks are looked up", () => {
  const all = kept(...Array.from({ length: 50 }, (_, n) => stackOf(`e${n}_`, 200)));
  assert.is(
    all.reduce((sum, [count]) => sum + Number(count), 0),
    250,
  );
  assert.equal(
    all.filter(([count]) => count !== 0),
    [
      [200, "e49_0", "e49_199"],
      [50, "e48_150", "e48_199"],
    ],
  );
});

test.run();
