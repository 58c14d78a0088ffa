import { mock } from "node:test";
import type { Admission, Cost, CostAccount, RateCategory, RateLimit } from "@faultline/plugin";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { RateLimits, type Rates } from "../../backend/src/host/ingest/rate-limits.ts";
import { joinedProcesses, nobodyElse } from "../support/service/joined-processes.ts";

const test = suite("rate limits");

/** Limits on a clock that the test moves. */
function limitsOf(rates: Rates, clock = movable(), announcements = nobodyElse) {
  const limits = new RateLimits(clock, rates, announcements);
  const of = (keyId: number, projectId = 1, network = "192.0.2.0/24"): Admission => ({
    keyId,
    projectId,
    network,
    limits: undefined,
  });
  const spend = (keyId: number, category: RateCategory = "error", projectId = 1) =>
    limits.spend(of(keyId, projectId), category);
  /** An event of key 1 from a network; whether it was taken. */
  const from = (network: string, category: RateCategory = "error") =>
    limits.spend(of(1, 1, network), category)?.isExceeded !== true;
  /** Spends until it is refused, at most 10,000 times; how often it was not. */
  const spendAll = (keyId: number, category: RateCategory = "error", projectId = 1) => {
    for (let taken = 0; taken < 10_000; taken++) if (spend(keyId, category, projectId)?.isExceeded) return taken;
    return Infinity;
  };
  const charge = (keyId: number, cost: Cost, account: CostAccount = "default", network?: string) =>
    limits.charge(of(keyId, 1, network), account, cost);
  const costLimit = (keyId: number, account: CostAccount = "default", network?: string) =>
    limits.costLimit(of(keyId, 1, network), account);
  return { clock, spend, spendAll, from, charge, costLimit, limits, of };
}

function movable() {
  const clock = { at: 1_000_000, now: () => clock.at };
  return clock;
}

const refused = (retryAfterSeconds: number, scope: RateLimit["scope"]): RateLimit => ({
  reason: "rate_limit",
  isExceeded: true,
  retryAfterSeconds,
  scope,
});

test("a key takes ten seconds' worth in a burst, then refuses until there is room", () => {
  const { clock, spend, spendAll } = limitsOf({ perKey: 5, perProject: 0 });
  assert.is(spendAll(7), 50);
  assert.equal(spend(7), refused(1, "key"));
  clock.at += 1000;
  assert.is(spendAll(7), 5);
  clock.at += 3_600_000;
  assert.is(spendAll(7), 50);
});

test("from 90 % on, acceptances come with a warning", () => {
  const { spend } = limitsOf({ perKey: 5, perProject: 0 });
  const warned = Array.from({ length: 50 }, () => spend(7)).map((limit) => limit !== undefined);
  assert.is(warned.indexOf(true), 45);
  assert.equal(new Set(warned.slice(45)), new Set([true]));
  assert.is(spend(7)?.isExceeded, true);
});

test("the limit of the project holds for all of its keys together, and names itself", () => {
  const { spend, spendAll } = limitsOf({ perKey: 5, perProject: 6 });
  assert.is(spendAll(1), 50);
  assert.is(spendAll(2), 10);
  assert.equal(spend(2), refused(1, "project"));
  assert.is(spend(3, "error", 2), undefined);
});

test("items that one limit refuses are not taken from the other", () => {
  const { clock, spendAll } = limitsOf({ perKey: 1, perProject: 2 });
  assert.is(spendAll(1), 10);
  assert.is(spendAll(1), 0);
  assert.is(spendAll(2), 10);
  clock.at += 1000;
  assert.is(spendAll(2), 1);
});

test("categories are limited apart", () => {
  const { spendAll } = limitsOf({ perKey: 1, perProject: 0 });
  assert.is(spendAll(1, "error"), 10);
  assert.is(spendAll(1, "security"), 10);
  assert.is(spendAll(1, "session"), 10);
  assert.is(spendAll(1, "feedback"), 10);
  assert.is(spendAll(1, "default"), 10);
});

/** The cost of bodies that is allowed a second for each item: see docs/limits.md. */
const costs = [
  ["bytes", 64 * 1024],
  ["ms", 1],
] as const;

for (const [of, perItem] of costs) {
  test(`a key may cost ten seconds' worth of ${of} in a burst, then no body is read until time has paid for it`, () => {
    const { clock, charge, costLimit } = limitsOf({ perKey: 400, perProject: 0 });
    charge(7, { [of]: 3_999 * perItem });
    assert.is(costLimit(7), undefined);
    charge(7, { [of]: 801 * perItem }); // of the last body that was let in: two seconds' worth are missing
    assert.equal(costLimit(7), { ...refused(3, "key"), of });
    clock.at += 2_000;
    assert.equal(costLimit(7), { ...refused(1, "key"), of });
    clock.at += 100;
    assert.is(costLimit(7), undefined);
    assert.is(costLimit(8), undefined);
  });

  test(`limits of few items leave as much ${of} as 300, and 0 means no limit`, () => {
    const few = limitsOf({ perKey: 1, perProject: 0 });
    few.charge(7, { [of]: 2_990 * perItem });
    assert.is(few.costLimit(7), undefined);
    few.charge(7, { [of]: 10 * perItem });
    assert.is(few.costLimit(7)?.of, of);
    const none = limitsOf({ perKey: 0, perProject: 0 });
    none.charge(7, { [of]: 1e12 });
    assert.is(none.costLimit(7), undefined);
  });
}

test("the keys of a project share its cost, and what costs much takes no items", () => {
  const { charge, costLimit, spend } = limitsOf({ perKey: 300, perProject: 300 });
  charge(1, { ms: 1_500, bytes: 1 });
  charge(2, { ms: 1_500, bytes: 1 });
  assert.equal(costLimit(3), { ...refused(1, "project"), of: "ms" });
  assert.is(spend(3), undefined);
});

test("the bodies of CSP reports have a separate account, of the key and of the project", () => {
  const { charge, costLimit } = limitsOf({ perKey: 300, perProject: 300 });
  charge(1, { ms: 3_000, bytes: 1e9 }, "security");
  assert.is(costLimit(1, "security")?.scope, "key");
  assert.is(costLimit(2, "security")?.scope, "project");
  assert.is(costLimit(1), undefined);
});

const [flooder, elsewhere] = ["203.0.113.0/24", "198.51.100.0/24"];
const many = (count: number, one: (n: number) => boolean) =>
  Array.from({ length: count }, (_, n) => one(n)).filter(Boolean).length;

test("a network that is alone takes the whole burst of a key, and its whole rate for ten minutes: one server's storm", () => {
  const { clock, from } = limitsOf({ perKey: 300, perProject: 600 });
  assert.is(
    many(3_100, () => from(flooder)),
    3_000,
  );
  clock.at += 10_000;
  for (let tenth = 0; tenth < 6_000; tenth++, clock.at += 100) {
    assert.is(
      many(30, () => from(flooder)),
      30,
    );
  }
});

test("a storm of 5,000 users from 1,000 networks at the full rate loses nothing", () => {
  const { clock, from } = limitsOf({ perKey: 300, perProject: 600 });
  for (let tenth = 0; tenth < 6_000; tenth++, clock.at += 100) {
    assert.is(
      many(30, (n) => from(`10.${(n * 7919 + tenth * 104_729) % 1_000}`)),
      30,
    );
  }
});

test("two servers that share the full rate two to one lose nothing", () => {
  const { clock, from } = limitsOf({ perKey: 300, perProject: 600 });
  for (let tenth = 0; tenth < 6_000; tenth++, clock.at += 100) {
    assert.is(
      many(30, (n) => from(n % 3 === 0 ? elsewhere : flooder)),
      30,
    );
  }
});

for (const [claim, headStartMs] of [
  ["that begins with them", 0],
  ["that came first and took everything", 60_000],
] as const) {
  test(`24 browsers get all of their events through during one flood ${claim}, and no answer asks them to slow down`, () => {
    const { clock, from, limits, of } = limitsOf({ perKey: 300, perProject: 600 });
    const start = clock.at;
    let flooded = 0;
    for (let ms = 0; ms < 120_000; ms += 10, clock.at += 10) {
      flooded += many(50, () => from(flooder)); // 5,000 a second
      if (ms < headStartMs || ms % 500 !== 0) continue;
      assert.is(limits.spend(of(1, 1, `10.0.${(ms / 500) % 24}.0/24`), "error"), undefined);
    }
    assert.ok(flooded >= (290 * (clock.at - start)) / 1000, `${flooded}`); // the rest of the rate is the flood's all the same
    assert.ok(flooded <= 3_000 + (300 * (clock.at - start)) / 1000, `${flooded}`);
  });
}

const ofSite = (n: number) => `2001:db8:1:${(n * 257).toString(16)}::/64`;
const otherSite = (n: number) => `2001:db8:2:${n}::/64`;

for (const [claim, subnet, browser] of [
  ["250 /64s of one /48", ofSite, otherSite],
  ["250 /64s of one /56", (n: number) => `2001:db8:1:${n.toString(16)}::/64`, otherSite],
  ["250 /64s of one /48, and from IPv4", ofSite, (n: number) => `10.0.${n}.0/24`],
] as const) {
  test(`browsers elsewhere get all of their events through during a flood from ${claim}`, () => {
    const { clock, from } = limitsOf({ perKey: 300, perProject: 600 });
    for (let ms = 0; ms < 120_000; ms += 10, clock.at += 10) {
      many(7, (n) => from(subnet((ms * 7 + n) % 250))); // 700 a second
      if (ms % 500 === 0) assert.ok(from(browser((ms / 500) % 24)), `after ${ms} ms`);
    }
  });
}

test("a site that is alone takes the whole rate, from however many of its networks", () => {
  const { clock, from } = limitsOf({ perKey: 300, perProject: 600 });
  for (let tenth = 0; tenth < 6_000; tenth++, clock.at += 100) {
    assert.is(
      many(30, (n) => from(`2001:db8:1:${((tenth + n) % 250).toString(16)}::/64`)),
      30,
    );
  }
});

test("a debt for others is bounded, and the mean holds, however many networks share a key", () => {
  const { clock, from } = limitsOf({ perKey: 10, perProject: 0 });
  const start = clock.at;
  let taken = 0;
  for (let n = 0; n < 20_000; n++, clock.at += 10) taken += from(`10.0.${n % 500}.0/24`) ? 1 : 0;
  assert.ok(taken <= 100 + 50 + (10 * (clock.at - start)) / 1000, `${taken}`);
});

test("senders of more than their fifth get everything again a minute after the others stopped", () => {
  const { clock, from } = limitsOf({ perKey: 10, perProject: 0 });
  from(elsewhere);
  assert.is(
    many(200, () => from(flooder)),
    49, // down to the last half
  );
  clock.at += 61_000;
  assert.is(
    many(200, () => from(flooder)),
    100,
  );
});

test("expensive bodies of one network do not prevent the bodies of others from being read", () => {
  const { charge, costLimit } = limitsOf({ perKey: 300, perProject: 600 });
  costLimit(1, "default", elsewhere);
  costLimit(1, "default", flooder);
  charge(1, { ms: 1_600 }, "default", flooder);
  assert.is(costLimit(1, "default", flooder)?.of, "ms");
  assert.is(costLimit(1, "default", elsewhere), undefined);
});

test("300 events a second of 25 kB and half a millisecond each are never too much", () => {
  const { clock, charge, costLimit } = limitsOf({ perKey: 300, perProject: 600 });
  for (let n = 0; n < 300 * 60; n++) {
    if (n % 3 === 0) clock.at += 10;
    charge(7, { bytes: 25_000 });
    charge(7, { ms: 0.5 });
    assert.is(costLimit(7), undefined);
  }
});

test("0 means no limit", () => {
  const { spendAll } = limitsOf({ perKey: 0, perProject: 0 });
  assert.is(spendAll(1), Infinity);
});

test("a clock that is set back fills nothing and refuses no longer than before", () => {
  const { clock, spend, spendAll } = limitsOf({ perKey: 1, perProject: 0 });
  assert.is(spendAll(1), 10);
  clock.at -= 86_400_000;
  assert.equal(spend(1), refused(1, "key"));
  clock.at += 1000;
  assert.is(spendAll(1), 1);
});

test("whatever is spent when, a key never takes more than its burst and its rate times the time", () => {
  const { clock, spend } = limitsOf({ perKey: 3, perProject: 0 });
  const start = clock.at;
  let taken = 0;
  for (let n = 0; n < 5_000; n++) {
    clock.at += (n * 7919) % 97; // 0 to 96 ms, in no order
    if (!spend(1)?.isExceeded) taken++;
    assert.ok(taken <= 30 + (3 * (clock.at - start)) / 1000 + 1);
  }
  assert.ok(taken >= (3 * (clock.at - start)) / 1000);
});

/**
 * Each process gets a request in turn, or all of them go to one, `demand` a second and process; announcements arrive
 * `latencyMs` after they were made. How many were taken, and the most that were taken beyond what one process would take.
 */
async function takenTogether(of: { processes: number; demand: number; seconds: number; latencyMs: number }) {
  mock.timers.enable({ apis: ["setTimeout"] });
  const clock = movable();
  const joined = joinedProcesses(of.processes);
  const limits = joined.processes.map((announcements) =>
    limitsOf({ perKey: rate, perProject: 0 }, clock, announcements),
  );
  const start = clock.at;
  let [taken, beyond] = [0, 0];
  for (let ms = 1; ms <= of.seconds * 1000; ms++) {
    clock.at = start + ms;
    mock.timers.tick(1);
    if (ms % of.latencyMs === 0) joined.deliver();
    for (const { spend } of limits) {
      const due = Math.floor((of.demand * ms) / 1000) - Math.floor((of.demand * (ms - 1)) / 1000);
      for (let n = 0; n < due; n++) if (spend(1)?.isExceeded !== true) taken++;
    }
    beyond = Math.max(beyond, taken - rate * (10 + ms / 1000));
  }
  mock.timers.reset();
  return { taken, beyond };
}

const rate = 100;
const burst = 10 * rate;

for (const { processes, demand, most } of [
  { processes: 1, demand: 1_000, most: 0 },
  { processes: 2, demand: 1_000, most: 0.1 * burst + 2 * 5 },
  { processes: 2, demand: 60, most: 0.1 * burst + 2 * 5 },
  { processes: 8, demand: 1_000, most: 7 * (0.1 * burst + 2 * 5) },
  { processes: 8, demand: 20, most: 7 * (0.1 * burst + 2 * 5) },
]) {
  test(`${processes} processes that get ${demand} a second each take together what one would, and at most ${most} more`, async () => {
    const seconds = 30;
    const { taken, beyond } = await takenTogether({ processes, demand, seconds, latencyMs: 5 });
    const all = Math.min(processes * demand * seconds, burst + rate * seconds);
    assert.ok(beyond <= most, `${beyond} beyond the limit`);
    assert.ok(taken >= all - 0.05 * burst * processes, `${taken} of ${all}`);
  });
}

test("a refusal for what another process took names the time until there is room, debts included", () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const joined = joinedProcesses(2);
  const clock = movable();
  const [one, other] = joined.processes.map((announcements) =>
    limitsOf({ perKey: 5, perProject: 0 }, clock, announcements),
  );
  // Each takes all there is before it hears of the other.
  assert.equal([one?.spendAll(7), other?.spendAll(7)], [50, 50]);
  mock.timers.tick(250);
  joined.deliver();
  assert.equal(one?.spend(7), refused(11, "key"));
  assert.equal(other?.spend(7), refused(11, "key"));
  clock.at += 10_000;
  assert.is(one?.spend(7)?.isExceeded, true);
  clock.at += 400;
  assert.is(one?.spendAll(7), 2);
  mock.timers.reset();
});

test("the cost of bodies in one process is missing in the other", () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const joined = joinedProcesses(2);
  const [one, other] = joined.processes.map((announcements) =>
    limitsOf({ perKey: 300, perProject: 0 }, movable(), announcements),
  );
  one?.charge(7, { ms: 2_999.5, bytes: 10 });
  joined.deliver();
  assert.is(other?.costLimit(7)?.of, "ms");
  assert.is(other?.spend(7), undefined);
  mock.timers.reset();
});

test("a process announces small amounts once they add up, large amounts immediately, and nothing if there is no limit", () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const joined = joinedProcesses(2);
  const [announcements] = joined.processes;
  const { spend } = limitsOf({ perKey: 100, perProject: 0 }, movable(), announcements);
  for (let n = 0; n < 9; n++) spend(7);
  mock.timers.tick(250);
  assert.is(joined.deliver(), 0);
  spend(7);
  mock.timers.tick(250);
  assert.is(joined.deliver(), 1);
  for (let n = 0; n < 100; n++) spend(7);
  assert.is(joined.deliver(), 1);
  mock.timers.tick(250);
  assert.is(joined.deliver(), 0);
  mock.timers.reset();
});

test.run();
