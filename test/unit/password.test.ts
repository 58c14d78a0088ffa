import type { ServiceError } from "@faultline/plugin";
import { ErrorReason } from "@faultline/proto";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { knownUser, type Claimant } from "../../backend/src/services/identity/identity-kind.ts";
import { hashPassword, newPassword, verifyPassword } from "../../backend/src/services/identity/password.ts";
import { refusal } from "../support/assert/refusal.ts";

const password = suite("password");

const lengths: [password: string, what: string, isAllowed: boolean][] = [
  ["", "no password", false],
  ["x".repeat(11), "11 bytes", false],
  ["x".repeat(12), "12 bytes", true],
  ["ä".repeat(6), "6 letters of 2 bytes", true],
  ["x".repeat(1024), "1,024 bytes", true],
  ["x".repeat(1025), "1,025 bytes", false],
  ["ä".repeat(513), "513 letters of 2 bytes", false],
];

for (const [text, what, isAllowed] of lengths) {
  password(`${what} ${isAllowed ? "may" : "may not"} be set as a password`, () => {
    if (isAllowed) {
      assert.is(newPassword(text), text);
      return;
    }
    const { reason, field } = refusal(() => newPassword(text, "new_password"));
    assert.equal([reason, field], [ErrorReason.INVALID_FIELD, "new_password"]);
  });
}

const somebody: Claimant = { clientAddress: "192.0.2.7" };

password("a hash is made by its own password alone, and no two are alike", async () => {
  const hash = await hashPassword("correct horse battery", somebody);
  assert.ok(await verifyPassword("correct horse battery", hash, somebody));
  assert.not(await verifyPassword("correct horse batterY", hash, somebody));
  assert.not(await verifyPassword("", hash, somebody));
  assert.is.not(hash, await hashPassword("correct horse battery", somebody));
});

password(
  "nothing is right without a hash, and a password too long for any is wrong even where it was hashed",
  async () => {
    const long = "x".repeat(1025);
    assert.not(await verifyPassword("", undefined, somebody));
    assert.not(await verifyPassword("", "", somebody));
    assert.not(await verifyPassword(long, await hashPassword(long, somebody), somebody));
    assert.not(await verifyPassword("x".repeat(1_000_000), await hashPassword("", somebody), somebody));
  },
);

/** The outcome of hashes that begin simultaneously, one for each name in `by`, and the order of their ends. */
async function hashes(by: readonly [name: string, by: Claimant][]) {
  const done: string[] = [];
  const refused: string[] = [];
  const all = by.map(async ([name, one]) => {
    try {
      assert.not(await verifyPassword("flood", undefined, one));
      done.push(name);
    } catch (error) {
      assert.is((error as ServiceError).reason, ErrorReason.TOO_MANY_ATTEMPTS);
      refused.push(name);
    }
  });
  await Promise.all(all);
  return { done, refused };
}

const times = <T>(count: number, one: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => one(n));

const owners: [what: string, by: (n: number) => Claimant][] = [
  ["from the /64s of one /48", (n) => ({ clientAddress: `2001:db8:1:${n.toString(16)}::1` })],
  ["from the addresses of one /24", (n) => ({ clientAddress: `198.51.100.${n}` })],
  ["of one user", () => knownUser(1_000)],
];

for (const [what, by] of owners) {
  password(`of 100 hashes ${what} at once one is made, 5 wait, and the others are refused`, async () => {
    const { done, refused } = await hashes(times(100, (n) => ["flood", by(n)]));
    assert.equal([done.length, refused.length], [6, 94]);
  });
}

password(
  "of hashes from 100 wide networks 50 wait, and known people are not refused and go ahead of them",
  async () => {
    const strangers = times(100, (n): [string, Claimant] => [`stranger ${n}`, { clientAddress: `10.0.${n}.1` }]);
    const { done, refused } = await hashes([
      ...strangers,
      ...times(4, (n): [string, Claimant] => ["known", knownUser(n)]),
    ]);
    const [atOnce] = [100 - refused.length - 50];
    assert.ok(atOnce === 1 || atOnce === 2, `${atOnce} were made at once`);
    assert.not.ok(refused.includes("known"));
    assert.ok(done.lastIndexOf("known") < atOnce + 4 + atOnce, done.slice(0, 10).join());
  },
);

password(
  "a user who has many passwords checked takes turns with the others, and goes ahead ten times a minute",
  async () => {
    const busy = knownUser(2_000);
    for (let n = 0; n < 2; n++) await hashes(times(6, () => ["busy", busy])); // the last two not ahead
    const stranger: [string, Claimant] = ["stranger", { clientAddress: "192.0.2.1" }];
    const { done } = await hashes([
      ...times(6, (): [string, Claimant] => ["busy", busy]),
      stranger,
      ["other", knownUser(3)],
    ]);
    assert.ok(done.indexOf("other") <= 2, done.join());
    assert.ok(done.indexOf("stranger") <= 3, done.join());
  },
);

password.run();
