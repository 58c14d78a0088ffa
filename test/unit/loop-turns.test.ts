import { setImmediate as nextTurn } from "node:timers/promises";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { LoopTurns } from "../../plugins/http-bridge/src/loop-turns.ts";

/** Waits until so much has begun. */
async function begun(list: readonly string[], count: number): Promise<readonly string[]> {
  for (let turns = 0; list.length < count && turns < 100; turns++) await nextTurn();
  return list;
}

test("a caller with one call begins in the next turn, however many calls of another caller wait", async () => {
  const turns = new LoopTurns(1);
  const list: string[] = [];
  for (let n = 0; n < 5; n++) turns.take(() => list.push(`a${n}`), "a");
  turns.take(() => list.push("b0"), "b");
  turns.take(() => list.push("b1"), "b");
  assert.equal(await begun(list, 7), ["a0", "a1", "b0", "a2", "b1", "a3", "a4"]);
});

test("work beyond what one may have waiting is not taken, and others still are", async () => {
  const turns = new LoopTurns(1, 2);
  const list: string[] = [];
  const taken = [0, 1, 2, 3].map((n) => turns.take(() => list.push(`a${n}`), "a"));
  assert.equal(taken, [true, true, true, false]);
  assert.ok(turns.take(() => list.push("b"), "b"));
  assert.equal(await begun(list, 4), ["a0", "a1", "b", "a2"]);
  assert.ok(turns.take(() => list.push("again"), "a"));
  assert.equal((await begun(list, 5)).length, 5);
});

test("no more begins in a turn of the event loop than may", async () => {
  const turns = new LoopTurns(2);
  const counts: number[] = [];
  let inTurn = 0;
  for (let n = 0; n < 6; n++) turns.take(() => inTurn++, String(n));
  for (let n = 0; n < 3; n++) {
    counts.push(inTurn);
    inTurn = 0;
    await nextTurn();
  }
  assert.ok(Math.max(...counts) <= 2, counts.join(", "));
});

test.run();
