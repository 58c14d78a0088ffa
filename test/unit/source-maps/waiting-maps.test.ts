import { test } from "uvu";
import * as assert from "uvu/assert";
import { WaitingMaps } from "../../../plugins/source-maps/src/uploads/store-bundle.ts";

const source = { name: "a.ts", content: undefined, isIgnored: false };
const text = new Uint8Array(300_000);

/** How many maps wait until they are stored together. */
for (const [claim, index, sources, count] of [
  ["16 small maps", 100, [source], 16],
  ["two indexes of 300 kB", 300_000, [source], 2],
  ["two texts of 300 kB", 100, [{ ...source, content: text }], 2],
  ["one map of 100,000 sources without a text", 100, Array.from({ length: 100_000 }, () => source), 1],
  ["one map whose names have 300,000 characters", 100, [{ ...source, name: "n".repeat(300_000) }], 1],
] as const) {
  test(`${claim} are full, and none waits once they are taken`, () => {
    const waiting = new WaitingMaps();
    const file = { url: "~/a.js", debugIds: [], compiled: { index: new Uint8Array(index), sources, hasNames: false } };
    let added = 0;
    for (; !waiting.isFull; added += 1) waiting.add(file);
    assert.is(added, count);
    assert.is(waiting.take().length, count);
    assert.equal([waiting.isFull, waiting.take().length], [false, 0]);
  });
}

test.run();
