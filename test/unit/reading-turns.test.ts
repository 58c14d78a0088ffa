import { setImmediate as nextTurn } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { MemoryReservation } from "../../plugins/http-bridge/src/ingest/body/memory-budget.ts";
import { maxBytesUnderWay } from "@faultline/plugin";
import type { IngestRefusal } from "../../plugins/http-bridge/src/ingest/refusal.ts";
import { readingTurn } from "../../plugins/http-bridge/src/ingest/body/decoded-body.ts";

const test = suite("turns of large bodies");
const readAheadBytes = 64 * 1024;

test("of simultaneous large bodies two begin in each turn of the event loop, in order", async () => {
  const begun: (readonly [body: number, turn: number])[] = [];
  let turn = 0;
  const count = () => {
    turn += 1;
    if (begun.length < 5) setImmediate(count);
  };
  setImmediate(count);
  using reservation = new MemoryReservation();
  await Promise.all([1, 2, 3, 4, 5].map((n) => readingTurn(reservation).then(() => begun.push([n, turn]))));
  assert.equal(begun, [
    [1, 0],
    [2, 0],
    [3, 1],
    [4, 1],
    [5, 2],
  ]);
});

test("a single body begins immediately", async () => {
  await nextTurn();
  await nextTurn();
  using reservation = new MemoryReservation();
  let hasTurned = false;
  setImmediate(() => (hasTurned = true));
  await readingTurn(reservation);
  assert.not.ok(hasTurned);
});

test("waiting bodies count with the bytes read ahead, and bodies that do not fit into memory are refused", async () => {
  await nextTurn();
  await nextTurn();
  const most = maxBytesUnderWay / readAheadBytes + 2; // two do not wait
  const holdings = Array.from({ length: most + 5 }, () => new MemoryReservation());
  const turns = await Promise.allSettled(holdings.map((reservation) => readingTurn(reservation)));
  const refused = turns.slice(most).map((turn) => turn.status === "rejected" && (turn.reason as IngestRefusal).status);
  assert.equal(refused, Array(5).fill(503));
  assert.ok(turns.slice(0, most).every((turn) => turn.status === "fulfilled"));
  for (const reservation of holdings) reservation[Symbol.dispose]();
});

test.run();
