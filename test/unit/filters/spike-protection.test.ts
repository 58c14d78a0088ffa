import type { ArrivedEvent } from "@faultline/plugin";
import { readErrorEvent, type JsonObject } from "@faultline/sentry-event";
import { PayloadEncoding } from "@faultline/proto";
import { mock } from "node:test";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { SpikeProtection, errorKey, FairMinute } from "../../../backend/src/services/filters/spike-protection.ts";
import { joinedProcesses, nobodyElse } from "../../support/service/joined-processes.ts";

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const always = 0;

/** Spike protection of a project with a rate limit of 1 a second, and so a budget of 600 events. */
function protection({ usualDay = 0, eventsPerSecond = 1, announcements = nobodyElse } = {}) {
  const clock = { time: Date.UTC(2026, 0, 1), now: () => clock.time };
  const counted = new Map<number, number>();
  const hours = {
    add: async (counts: ReadonlyMap<number, number>) => {
      for (const [id, count] of counts) counted.set(id, (counted.get(id) ?? 0) + count);
    },
    usualDays: async () => new Map([[1, usualDay]]),
  };
  const spikes = new SpikeProtection({ hours, clock, passing: clock, announcements, eventsPerSecond });
  return { spikes, clock, counted };
}

function arrived(sent: JsonObject, clientIp = "198.51.100.1"): ArrivedEvent {
  const payload = { content: new Uint8Array(), encoding: PayloadEncoding.UNSPECIFIED, offset: 0, length: 0 };
  const event = readErrorEvent(sent, { projectId: 1, receivedAt: 0, payload, newEventId: () => "a".repeat(32) });
  return { event, sent, clientIp, userAgent: "" };
}

const loud = arrived({ message: "loud" });
const rare = (n: number, clientIp?: string) => arrived({ fingerprint: ["rare", String(n)] }, clientIp);

const letIn = (spikes: SpikeProtection, times: number, event = loud, from = always) =>
  Array.from({ length: times }, () => spikes.lets(1, event, from)).filter(Boolean).length;

test("a spike is let in whole until the budget is used up but for its last minute", () => {
  const { spikes } = protection();
  assert.equal(spikes.budget(1), { total: 600, left: 600, usualDay: 0 });
  assert.is(letIn(spikes, 599), 599);
  assert.is(spikes.budget(1).left, 1);
});

test("then the loudest error has five events a minute, and rare errors are let in whole", () => {
  const { spikes, clock } = protection();
  letIn(spikes, 600);
  for (let minute = 0; minute < 3; minute++) {
    assert.is(letIn(spikes, 1_000), 5, `minute ${minute}`);
    for (let n = 0; n < 50; n++) assert.is(letIn(spikes, 3, rare(n)), 3, `rare ${n}`);
    clock.time += minuteMs;
  }
});

test("errors share the refill of the budget in equal parts", () => {
  const { spikes, clock } = protection({ eventsPerSecond: 600 }); // 360,000 events, 250 of them a minute
  letIn(spikes, 360_000 - 250);
  clock.time += 1;
  const minute = () => [letIn(spikes, 10_000), letIn(spikes, 70, rare(1)), letIn(spikes, 1_000, rare(2))];
  // The rest of the parts is let in as well.
  const assertLetIn = (counts: number[], expected: number[]) =>
    counts.forEach((count, n) => assert.ok(Math.abs(count - (expected[n] ?? 0)) <= 20, `${counts}`));
  assertLetIn(minute(), [255, 5, 5]); // nobody knows yet who else comes
  for (let n = 0; n < 5; n++) {
    clock.time += minuteMs;
    assertLetIn(minute(), [5 + 83, 70, 5 + 83]);
  }
});

test("within a day the budget is full again, and a clock that is set back fills nothing", () => {
  const { spikes, clock } = protection();
  letIn(spikes, 600);
  const { left } = spikes.budget(1);
  clock.time += dayMs / 2;
  assert.is(spikes.budget(1).left, left + 300);
  clock.time -= dayMs;
  assert.is(spikes.budget(1).left, left + 300);
  clock.time += dayMs;
  assert.is(spikes.budget(1).left, 600);
});

test("the budget is twice the usual day where that is more", async () => {
  const { spikes } = protection({ usualDay: 5_000 });
  assert.is(spikes.budget(1).total, 600);
  letIn(spikes, 100);
  await spikes.readUsualDays();
  assert.equal(spikes.budget(1), { total: 10_000, left: 9_900, usualDay: 5_000 });
});

test("without a rate limit of projects, and where it is off, nothing is sampled", () => {
  const { spikes } = protection({ eventsPerSecond: 0 });
  assert.is(letIn(spikes, 10_000), 10_000);
  assert.is(spikes.budget(1).total, 0);
  const off = protection().spikes;
  assert.is(letIn(off, 10_000, loud, Infinity), 10_000);
  assert.is(off.budget(1).left, 600);
});

test("processes take from one budget: each announces within a second what it took", () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const { processes, deliver } = joinedProcesses(2);
  const [here, there] = processes.map((announcements) => protection({ announcements }).spikes);
  assert.ok(here && there);
  letIn(here, 400);
  mock.timers.tick(1_000);
  assert.is(deliver(), 1);
  assert.is(there.budget(1).left, 200);
  letIn(there, 1_000);
  mock.timers.tick(1_000);
  assert.is(deliver(), 1);
  assert.is(here.budget(1).left, 0);
  letIn(here, 1);
  mock.timers.tick(1_000);
  assert.is(deliver(), 0, "a handful waits until it is more");
  mock.timers.reset();
});

test("nothing is sampled before its time has come", () => {
  const { spikes, clock } = protection();
  const from = clock.time + dayMs;
  assert.is(letIn(spikes, 2_000, loud, from), 2_000);
  clock.time = from;
  letIn(spikes, 600, loud, from);
  assert.ok(letIn(spikes, 2_000, loud, from) <= 5);
});

test("a flood of new errors finds a limit for all of them, and one for its network", () => {
  const { spikes, clock } = protection();
  letIn(spikes, 600);
  const flood = (ip: string) => Array.from({ length: 1_000 }, (_, n) => spikes.lets(1, rare(n), always) && ip);
  assert.is(flood("198.51.100.1").filter(Boolean).length, 300);
  assert.is(letIn(spikes, 1, rare(2_000, "203.0.113.1")), 1, "another network is let in");
  clock.time += minuteMs;
  const networks = Array.from({ length: 1_000 }, (_, n) => letIn(spikes, 1, rare(n, `203.0.${n >> 8}.${n & 255}`)));
  assert.is(networks.filter((count) => count === 1).length, 600);
});

test("errors that a project usually has pass beside a flood of new errors from everywhere", () => {
  const { spikes, clock } = protection();
  const usual = (n: number) => arrived({ fingerprint: ["usual", String(n)] }, "192.0.2.7");
  for (const laterMs of [0, 61 * minuteMs]) {
    clock.time += laterMs;
    for (let n = 0; n < 20; n++) letIn(spikes, 1, usual(n));
  }
  letIn(spikes, 600);
  for (let minute = 0; minute < 3; minute++) {
    for (let n = 0; n < 2_000; n++) letIn(spikes, 1, rare(n + minute * 2_000, `203.0.${n >> 8}.${n & 255}`));
    for (let n = 0; n < 20; n++) assert.is(letIn(spikes, 2, usual(n)), 2, `minute ${minute}, error ${n}`);
    clock.time += minuteMs;
  }
});

test("errors that came within one hour alone, or during the spike, are not usual", () => {
  const { spikes, clock } = protection();
  letIn(spikes, 2, rare(1));
  letIn(spikes, 300); // less than nine tenths are left
  letIn(spikes, 1, rare(2));
  clock.time += 61 * minuteMs;
  letIn(spikes, 1, rare(2));
  letIn(spikes, 600);
  for (let n = 10; n < 2_000; n++) letIn(spikes, 1, rare(n, `203.0.${n >> 8}.${n & 255}`));
  assert.is(letIn(spikes, 1, rare(1)), 0);
  assert.is(letIn(spikes, 1, rare(2)), 0);
});

test("accepted events are counted, sampled-out events are not", async () => {
  const { spikes, counted } = protection();
  const count = letIn(spikes, 2_000);
  await spikes.save();
  await spikes.save();
  assert.is(counted.get(1), count);
});

test("counts that could not be written are written later", async () => {
  const { clock } = protection();
  let isBroken = true;
  const written: number[] = [];
  const hours = {
    add: async (counts: ReadonlyMap<number, number>) => {
      if (isBroken) throw new Error("the disk is full");
      written.push(...counts.values());
    },
    usualDays: async () => new Map<number, number>(),
  };
  const spikes = new SpikeProtection({ hours, clock, passing: clock, announcements: nobodyElse, eventsPerSecond: 1 });
  letIn(spikes, 3);
  await spikes.save().catch(() => undefined);
  letIn(spikes, 2);
  isBroken = false;
  await spikes.save();
  assert.equal(written, [5]);
});

test("a minute of sampling holds no more entries than there is room", () => {
  const minute = new FairMinute(0, 1);
  let count = 0;
  for (let n = 0; n < 100_000; n++) if (minute.lets(`error ${n}`, `network ${n}`, false)) count++;
  assert.is(count, 600);
  assert.is(minute.isOver(59_999), false);
  assert.is(minute.isOver(60_000), true);
  assert.is(minute.isOver(-1), true);
});

const stack = (functionName: string, value: string): JsonObject => ({
  exception: { values: [{ type: "E", value, stacktrace: { frames: [{ function: functionName, filename: "a.py" }] } }] },
});

for (const [claim, one, other, isSame] of [
  ["exceptions of one place are one error, whatever their text", stack("f", "id 1"), stack("f", "id 2"), true],
  ["exceptions of two places are two", stack("f", "x"), stack("g", "x"), false],
  [
    "without a stack the text up to its first number counts",
    { exception: { values: [{ type: "E", value: "row 17 is missing" }] } },
    { exception: { values: [{ type: "E", value: "row 18 is locked" }] } },
    true,
  ],
  ["messages differ by their text", { message: "disk full" }, { message: "no route" }, false],
  [
    "and not by their parameters",
    { logentry: { message: "user %s left", params: ["a"] } },
    { logentry: { message: "user %s left", params: ["b"] } },
    true,
  ],
  [
    "an own fingerprint counts alone",
    { ...stack("f", "x"), fingerprint: ["a"] },
    { ...stack("g", "x"), fingerprint: ["a"] },
    true,
  ],
  [
    "and distinguishes errors",
    { ...stack("f", "x"), fingerprint: ["a"] },
    { ...stack("f", "x"), fingerprint: ["b"] },
    false,
  ],
] as const satisfies readonly (readonly [string, JsonObject, JsonObject, boolean])[]) {
  test(claim, () => assert.is(errorKey(arrived(one).event) === errorKey(arrived(other).event), isSame));
}

test.run();
