import { suite } from "uvu";
import * as assert from "uvu/assert";
import { Pace } from "../../../plugins/source-maps/src/mapping/compile-in-worker.ts";

const paces = suite("pace of the thread that compiles");

/** A pace that has seen the event loop busy for a share of its last rest, which ended at 0. */
function having(busy: number): Pace {
  const pace = new Pace();
  pace.saw(busy, 0);
  return pace;
}

for (const [busy, workMs, restMs] of [
  [0, 200, 0],
  [0.35, 100, 264],
  [0.85, 10, 190],
  [1, 10, 190],
  [1, 600, 1_000],
] as const) {
  paces(`after ${workMs} ms beside a loop that is busy for ${busy}, it rests ${restMs} ms`, () => {
    assert.is(Math.round(having(busy).restAfter(workMs, 1)), restMs);
  });
}

paces("it rests once before it knows anything", () => assert.is(new Pace().restAfter(1, 0), 10));

paces("it rests each 250 ms to see whether the load changed", () => {
  const pace = having(0);
  assert.is(pace.restAfter(200, 249), 0);
  assert.is(pace.restAfter(1, 250), 10);
});

paces("short rests are taken together", () => {
  const pace = having(0.35);
  const rests = Array.from({ length: 6 }, () => Math.round(pace.restAfter(1, 1)));
  assert.equal(rests, [0, 0, 0, 11, 0, 0]);
});

paces("what it saw last counts for half", () => {
  const pace = having(0);
  pace.saw(0.7, 1);
  assert.is(Math.round(pace.restAfter(100, 2)), 264);
});

paces.run();
