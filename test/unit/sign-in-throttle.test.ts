import type { Announcements, ServiceError } from "@faultline/plugin";
import { ErrorReason } from "@faultline/proto";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { clientNetwork } from "@faultline/plugin";
import { SignInThrottle } from "../../backend/src/services/identity/sign-in-throttle.ts";

const throttle = suite("sign-in throttle");

/** Of one process. */
const alone: Announcements = { announce() {}, subscribe() {}, onMissed() {} };

/** Of two processes, each of which hears the other. */
function two(): [Announcements, Announcements] {
  const hearers: ((text: string) => void)[] = [];
  const side = (own: 0 | 1): Announcements => ({
    announce: (_subject, text) => hearers[1 - own]?.(text),
    subscribe: (_subject, handler) => void (hearers[own] = handler),
    onMissed() {},
  });
  return [side(0), side(1)];
}

const attemptOf = (name: string, clientAddress = "") => ({ name, clientAddress });

function blockedAt(start: number) {
  const clock = { at: start, now: () => clock.at };
  const made = new SignInThrottle(clock, alone);
  for (let n = 0; n < 10; n++) assert.is(made.begin(attemptOf("ann")), 0);
  return { clock, throttle: made };
}

function isBlocked(made: SignInThrottle, name: string, clientAddress?: string): boolean {
  try {
    made.begin(attemptOf(name, clientAddress));
    return false;
  } catch (error) {
    assert.is((error as ServiceError).reason, ErrorReason.TOO_MANY_ATTEMPTS);
    return true;
  }
}

throttle("after ten attempts from one network within a minute the name is refused there, in whatever letters", () => {
  const { throttle: made } = blockedAt(0);
  assert.ok(isBlocked(made, "ann"));
  assert.ok(isBlocked(made, "ANN"));
});

throttle("another name is not refused", () => assert.not(isBlocked(blockedAt(0).throttle, "bob")));

throttle("a minute later the name is free, however often it was refused meanwhile", () => {
  const { clock, throttle: made } = blockedAt(5_000);
  clock.at += 59_999;
  assert.ok(isBlocked(made, "ann"));
  clock.at += 1;
  assert.not(isBlocked(made, "ann"));
});

throttle("after the clock jumped back, nobody waits for what was noted before the jump", () => {
  const { clock, throttle: made } = blockedAt(3_600_000);
  clock.at = 0;
  assert.not(isBlocked(made, "ann"));
});

throttle("success forgives the attempts before it", () => {
  const { throttle: made } = blockedAt(0);
  made.succeeded(attemptOf("Ann"));
  assert.not(isBlocked(made, "ann"));
});

/** Draws the longest wait. */
const longest = () => 1;

throttle("from the eleventh attempt on a name waits, twice as long each time up to 4 s, and is not refused", () => {
  const made = new SignInThrottle({ now: () => 0 }, alone, longest);
  const waits = Array.from({ length: 18 }, (_, n) => made.begin(attemptOf("ann", `192.0.2.${n}`)));
  assert.equal(
    waits.slice(0, 10),
    Array.from({ length: 10 }, () => 0),
  );
  assert.equal(waits.slice(10), [250, 500, 1_000, 2_000, 4_000, 4_000, 4_000, 4_000]);
  assert.is(made.begin(attemptOf("bob", "192.0.2.1")), 0);
});

throttle(
  "the longest wait is drawn between two and four seconds, so that guesses that began together are not checked together",
  () => {
    for (const [drawn, waitMs] of [
      [0, 2_000],
      [0.5, 3_000],
      [0.999, 3_998],
    ] as const) {
      const made = new SignInThrottle({ now: () => 0 }, alone, () => drawn);
      for (let n = 0; n < 14; n++) made.begin(attemptOf("ann", `192.0.2.${n}`));
      assert.is(made.begin(attemptOf("ann", "192.0.2.99")), waitMs);
    }
  },
);

throttle("however many guess at a name, its wait stays bounded and ends within a minute of the last", () => {
  const clock = { at: 0, now: () => clock.at };
  const made = new SignInThrottle(clock, alone, longest);
  assert.is(
    guess(made, 5_000, (n) => `10.0.${n >> 8}.${n & 255}`),
    5_000 - 30 - 19,
    "one of each further /24",
  );
  assert.is(made.begin(attemptOf("ann", "192.0.2.1")), 4_000);
  clock.at += 60_000;
  assert.is(made.begin(attemptOf("ann", "192.0.2.1")), 0);
});

/** Guesses at Ann's password; returns how many were refused. */
function guess(made: SignInThrottle, count: number, addressOf: (n: number) => string): number {
  return Array.from({ length: count }, (_, n) => isBlocked(made, "ann", addressOf(n))).filter(Boolean).length;
}

throttle("of guesses at a name 30 a minute are let through from the networks of one /48 or /24", () => {
  for (const addressOf of [(n: number) => `2001:db8:1:${n.toString(16)}::1`, (n: number) => `198.51.100.${n % 250}`]) {
    const clock = { at: 0, now: () => clock.at };
    const made = new SignInThrottle(clock, alone, longest);
    assert.is(guess(made, 1_000, addressOf), 970);
    clock.at += 60_000;
    assert.is(guess(made, 1_000, addressOf), 970);
  }
});

throttle("of guesses at a name from new wide networks 60 a minute are let through, and then 30", () => {
  const clock = { at: 0, now: () => clock.at };
  const made = new SignInThrottle(clock, alone, longest);
  const addressOf = (n: number) => `10.${n >> 8}.${n & 255}.1`;
  assert.is(guess(made, 1_000, addressOf), 940);
  clock.at += 60_000;
  assert.is(guess(made, 60, addressOf), 30);
});

throttle(
  "while guesses at a name are refused, its owner is not: on a known device, in a known or a new network",
  () => {
    const made = new SignInThrottle({ now: () => 0 }, alone, longest);
    guess(made, 1_000, (n) => `2001:db8:1:${n.toString(16)}::1`);
    assert.ok(isBlocked(made, "ann", "2001:db8:1:ffff::1"));
    assert.is(made.begin({ ...attemptOf("ann", "2001:db8:1:ffff::1"), device: "hers" }), 0);
    assert.is(made.begin({ ...attemptOf("ann"), isSignedIn: true }), 4_000, "her change of the password");
    made.succeeded({ ...attemptOf("Ann", "2001:db8:1:fff0::1"), device: "hers" });
    assert.is(made.begin(attemptOf("ann", "2001:db8:1:fff0::2")), 4_000);
    assert.is(made.begin(attemptOf("ann", "2001:db8:2::1")), 4_000);
    assert.is(made.begin(attemptOf("bob", "2001:db8:1:ffff::1")), 0);
  },
);

throttle("an attempt that is given back counts for nobody: the device, the network and the name", () => {
  const made = new SignInThrottle({ now: () => 0 }, alone, longest);
  for (const attempt of [{ ...attemptOf("ann", "192.0.2.1"), device: "hers" }, attemptOf("ann", "192.0.2.1")]) {
    for (let n = 0; n < 100; n++) {
      assert.is(made.begin(attempt), 0);
      made.tookBack(attempt);
    }
  }
  for (let n = 0; n < 49; n++) made.begin(attemptOf(`name ${n}`, "192.0.2.1"));
  assert.is(made.begin(attemptOf("ann", "192.0.2.1")), 0);
});

throttle("a success takes its own attempt of a name back and leaves the wait of those who guess", () => {
  const made = new SignInThrottle({ now: () => 0 }, alone, longest);
  for (let n = 0; n < 12; n++) made.begin(attemptOf("ann", `192.0.2.${n}`));
  const own = attemptOf("ann", "198.51.100.1");
  assert.is(made.begin(own), 1_000);
  made.succeeded(own);
  assert.is(made.begin(attemptOf("ann", "192.0.2.99")), 1_000);
});

throttle("a known device counts for itself alone, ten a minute, and a success forgives it", () => {
  const made = new SignInThrottle({ now: () => 0 }, alone, longest);
  const known = { ...attemptOf("ann", "192.0.2.1"), device: "hers" };
  for (let n = 0; n < 50; n++) made.begin(attemptOf(n < 10 ? "ann" : `name ${n}`, "192.0.2.1"));
  assert.ok(isBlocked(made, "ann", "192.0.2.1"));
  for (let n = 0; n < 10; n++) assert.is(made.begin(known), 0);
  assert.throws(() => made.begin(known), "Too many attempts");
  assert.is(made.begin({ ...known, device: "another" }), 0);
  assert.is(made.begin(attemptOf("ann", "198.51.100.1")), 250, "its attempts delay nobody");
  made.succeeded(known);
  assert.is(made.begin(known), 0);
});

throttle("one address has 50 attempts a minute, whatever the names; other addresses and none do not wait", () => {
  const made = new SignInThrottle({ now: () => 0 }, alone);
  for (let n = 0; n < 50; n++) made.begin(attemptOf(`name ${n}`, "2001:db8:1:2::1"));
  assert.ok(isBlocked(made, "ann", "2001:db8:1:2:ffff::9"), "the same /64");
  assert.not(isBlocked(made, "ann", "2001:db8:1:3::1"));
  assert.not(isBlocked(made, "ann", "192.0.2.1"));
  assert.not(isBlocked(made, "ann"));
});

throttle("a success takes back its own attempt of an address and no other", () => {
  const made = new SignInThrottle({ now: () => 0 }, alone);
  for (let n = 0; n < 49; n++) made.begin(attemptOf(`name ${n}`, "192.0.2.1"));
  made.begin(attemptOf("own", "192.0.2.1"));
  made.succeeded(attemptOf("own", "192.0.2.1"));
  assert.not(isBlocked(made, "ann", "192.0.2.1"));
  assert.ok(isBlocked(made, "bob", "192.0.2.1"));
});

throttle("attempts in two processes count together, and a success in one forgives in both", () => {
  const clock = { now: () => 0 };
  const [first, second] = two().map((announcements) => new SignInThrottle(clock, announcements, longest));
  if (!first || !second) throw new Error("two were made");
  for (let n = 0; n < 5; n++) for (const made of [first, second]) made.begin(attemptOf("ann", "192.0.2.1"));
  assert.ok(isBlocked(first, "ann", "192.0.2.1"));
  assert.ok(isBlocked(second, "ann", "192.0.2.1"));
  assert.is(second.begin(attemptOf("ann", "192.0.2.2")), 250, "of ten before it");
  first.succeeded(attemptOf("ann", "192.0.2.1"));
  assert.not(isBlocked(second, "ann", "192.0.2.1"));
  for (let n = 0; n < 40; n++) second.begin(attemptOf(`name ${n}`, "192.0.2.1"));
  assert.ok(isBlocked(first, "bob", "192.0.2.1"), "9 that were not forgiven, 1 and 40");
});

throttle("where a name was right is known in each process: its last ten networks", () => {
  const [first, second] = two().map((announcements) => new SignInThrottle({ now: () => 0 }, announcements));
  for (let n = 0; n < 11; n++) first?.succeeded(attemptOf("ann", `192.0.2.${n}`));
  const known = Array.from({ length: 12 }, (_, n) => second?.knowsNetwork(attemptOf("ANN", `192.0.2.${n}`)));
  assert.equal(known, [false, ...Array.from({ length: 10 }, () => true), false]);
  assert.not(second?.knowsNetwork(attemptOf("bob", "192.0.2.1")));
});

throttle("a flood of names pushes out the oldest, not the one that is being guessed", () => {
  const { throttle: made } = blockedAt(0);
  for (let n = 0; n < 14_999; n++) made.begin(attemptOf(`name ${n}`));
  assert.ok(isBlocked(made, "ann"));
});

const networks: [address: string, network: string][] = [
  ["192.0.2.1", "192.0.2.1"],
  ["::ffff:192.0.2.1", "192.0.2.1"],
  ["::FFFF:c000:201", "192.0.2.1"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["2001:DB8:1:2::", "2001:db8:1:2::/64"],
  ["2001:0db8::7", "2001:db8:0:0::/64"],
  ["::1", "0:0:0:0::/64"],
  ["fe80::1%eth0", "fe80:0:0:0::/64"],
  ["not an address", "not an address"],
];

for (const [address, network] of networks) {
  throttle(`attempts from ${address} count for ${network}`, () => assert.is(clientNetwork(address), network));
}

throttle.run();
