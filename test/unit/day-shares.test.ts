import type { Admission } from "@faultline/plugin";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { DayShares } from "../../backend/src/host/ingest/day-shares.ts";

const test = suite("shares of a day's bytes");

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const limit = 1_000_000;
const [flooder, elsewhere] = ["2001:db8:1:1::/64", "198.51.100.0/24"];

/** A project with a limit a day, on a clock that the test moves and that begins with a day. */
function project({ dayLimit = limit } = {}) {
  const clock = { at: 20_000 * dayMs, now: () => clock.at };
  const shares = new DayShares(clock, () => dayLimit);
  let used = 0;
  /** Sends an event of so many bytes; whether it was taken. */
  const sendOf = (sender: Partial<Admission>, bytes: number) => {
    const admission: Admission = { keyId: 1, projectId: 1, network: elsewhere, limits: undefined, ...sender };
    if (used >= dayLimit - shares.left(admission)) return false;
    shares.take(admission, bytes);
    used += bytes;
    return true;
  };
  /** Sends events of 1,000 bytes until one is refused; how many were taken. */
  const send = (sender: Partial<Admission>, count: number) => {
    for (let taken = 0; taken < count; taken++) if (!sendOf(sender, 1_000)) return taken;
    return count;
  };
  return { clock, send, sendOf };
}

test("a sender that is alone may use up the day", () => {
  assert.is(project().send({ network: flooder }, 2_000), 1_000);
});

test("a network that floods with a key leaves half of the day to the others that send with it", () => {
  const { send } = project();
  send({}, 1);
  assert.is(send({ network: flooder }, 2_000), 499);
  assert.is(send({}, 150), 150);
  assert.is(send({ network: flooder }, 1), 0);
});

test("a flood of large events leaves the reserve, though its share regains some bytes between two of them", () => {
  const { clock, send, sendOf } = project();
  send({}, 1);
  let taken = 0;
  for (let n = 0; n < 100; n++, clock.at += 1_000) taken += sendOf({ network: flooder }, 50_000) ? 50_000 : 0;
  assert.ok(taken <= 550_000, `${taken}`);
});

test("all networks of a /48 together leave half of the day", () => {
  const { send } = project();
  send({}, 1);
  let taken = 0;
  for (let n = 0; n < 200; n++) taken += send({ network: `2001:db8:1:${n.toString(16)}::/64` }, 10);
  assert.is(taken, 499);
});

test("a key that floods from many networks leaves half of the day to another key", () => {
  const { send } = project();
  send({ keyId: 2 }, 1);
  let taken = 0;
  for (let n = 0; n < 200; n++) taken += send({ network: `192.0.${n}.0/24` }, 10);
  assert.is(taken, 500);
  assert.is(send({ keyId: 2 }, 150), 150);
});

test("a sender that wants nothing for ten minutes is left nothing, and a new day begins with all shares", () => {
  const { clock, send } = project();
  send({}, 1);
  clock.at += 11 * minuteMs;
  assert.is(send({ network: flooder }, 999), 999);
  assert.is(send({}, 1), 0);
});

for (const [sender, fields, dayLimit] of [
  ["the service itself", { network: "" }, limit],
  ["a project without a limit", { network: flooder }, 0],
] as const) {
  test(`${sender} leaves nothing`, () => {
    const shares = new DayShares({ now: () => 20_000 * dayMs }, () => dayLimit);
    const admission: Admission = { keyId: 1, projectId: 1, limits: undefined, ...fields };
    shares.left({ ...admission, network: elsewhere, keyId: 2 });
    assert.is(shares.left(admission), 0);
    shares.take(admission, limit);
    assert.is(shares.left(admission), 0);
  });
}

test.run();
