import type { Admission } from "@faultline/plugin";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { KeyLimits } from "../../backend/src/host/ingest/key-limits.ts";
import { RateLimits } from "../../backend/src/host/ingest/rate-limits.ts";
import { nobodyElse } from "../support/service/joined-processes.ts";

const test = suite("limits of a client key");

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const [flooder, elsewhere] = ["203.0.113.0/24", "198.51.100.0/24"];

/** A key with limits, on a clock that the test moves and that begins with a day. */
function keyWith({ perMinute = 0, perDay = 0 }) {
  const clock = { at: 20_000 * dayMs, now: () => clock.at };
  const limits = new KeyLimits(clock, nobodyElse);
  const unlimited = new RateLimits(clock, { perKey: 0, perProject: 0 }, nobodyElse);
  /** Sends so many events from a network; how many were taken. */
  const send = (network: string, count: number) => {
    const admission: Admission = {
      keyId: 1,
      projectId: 1,
      network,
      limits: { perMinute, perDay, counted: { day: 0, events: 0 } },
    };
    const results = Array.from({ length: count }, () =>
      limits.spend(admission, { category: "error", count: 1 }, unlimited),
    );
    return results.filter((limit) => limit?.isExceeded !== true).length;
  };
  return { clock, send };
}

for (const [window, limits] of [
  ["day", { perDay: 1_000 }],
  ["minute", { perMinute: 1_000 }],
] as const) {
  test(`a network that is alone may use up the limit of a ${window}`, () => {
    const { send } = keyWith(limits);
    assert.is(send(flooder, 2_000), 1_000);
  });

  test(`a flood leaves half of the limit of a ${window} to a network that sends too, which may use all of it`, () => {
    const { send } = keyWith(limits);
    assert.is(send(elsewhere, 1), 1);
    assert.is(send(flooder, 2_000), 499);
    assert.is(send(elsewhere, 150), 150);
    assert.is(send(flooder, 2_000), 0);
  });
}

test("the closer the end of the day, the less a flood leaves to others", () => {
  const { clock, send } = keyWith({ perDay: 1_000 });
  clock.at += dayMs / 2;
  send(elsewhere, 1);
  assert.is(send(flooder, 2_000), 749);
});

test("a flood that began ten minutes after another network's last event may use up the limit", () => {
  const { clock, send } = keyWith({ perDay: 1_000 });
  send(elsewhere, 1);
  clock.at += 11 * minuteMs;
  assert.is(send(flooder, 2_000), 999);
});

test.run();
