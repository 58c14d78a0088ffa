import { test } from "uvu";
import * as assert from "uvu/assert";
import type { Servers } from "../../plugins/jetstream-queue/src/connection.ts";
import { askLag } from "../../plugins/jetstream-queue/src/index.ts";

/** How far storing is behind, by what NATS says of the stream. */

interface State {
  readonly messages: number;
  readonly first_ts: string;
  readonly last_ts: string;
  readonly last_seq: number;
}

const at = (second: number) => new Date(Date.UTC(2026, 10, 27, 8, 0, second)).toISOString();
const empty = "0001-01-01T00:00:00Z"; // what NATS says of no message

/** Only the state of the stream is asked for. */
async function lagOf(state: State, now: string) {
  const streams = { info: () => Promise.resolve({ state, ts: now }) };
  const { acceptedAt, storedAt, pending, lagMs, reportedAt } = await askLag({
    manager: { streams },
  } as unknown as Servers);
  return { acceptedAt, storedAt, pending, lagMs, reportedAt };
}

test("the oldest message that waits says how far storing is", async () => {
  const state = { messages: 3, first_ts: at(10), last_ts: at(20), last_seq: 9 };
  const [storedAt, acceptedAt, reportedAt] = [at(10), at(20), at(21)].map(Date.parse);
  assert.equal(await lagOf(state, at(21)), { acceptedAt, storedAt, pending: 3, lagMs: 11_000, reportedAt });
});

test("when nothing waits, everything that was accepted is stored", async () => {
  const state = { messages: 0, first_ts: empty, last_ts: at(20), last_seq: 9 };
  const [acceptedAt, reportedAt] = [at(20), at(21)].map(Date.parse);
  assert.equal(await lagOf(state, at(21)), { acceptedAt, storedAt: acceptedAt, pending: 0, lagMs: 0, reportedAt });
});

test("before the first message nothing was accepted", async () => {
  const { acceptedAt, lagMs } = await lagOf({ messages: 0, first_ts: empty, last_ts: empty, last_seq: 0 }, at(1));
  assert.equal([acceptedAt, lagMs], [0, 0]);
});

test("a clock that went back makes no lag below zero", async () => {
  const state = { messages: 1, first_ts: at(10), last_ts: at(10), last_seq: 1 };
  assert.is((await lagOf(state, at(5))).lagMs, 0);
});

test.run();
