import { suite } from "uvu";
import * as assert from "uvu/assert";
import { KeyRing } from "../../backend/src/storage/secrets/key-ring.ts";
import { tempDir } from "../support/service/temp-dir.ts";
import { isDeviceOf, newDeviceToken } from "../../backend/src/services/access/sessions.ts";

const test = suite("device tokens");

const keyRing = KeyRing.open(tempDir(), true);
const dayMs = 86_400_000;
const now = Date.UTC(2026, 0, 10, 12);
const ann = { userId: 1, verifier: "$argon2id$one" };
const token = newDeviceToken(keyRing, ann, now);

test("a device is known to its user for 90 days", () => {
  assert.ok(isDeviceOf(keyRing, ann, token, now));
  assert.ok(isDeviceOf(keyRing, ann, token, now + 90 * dayMs - 1));
  assert.not(isDeviceOf(keyRing, ann, token, now + 90 * dayMs));
});

test("two sign-ins have two tokens of at most 64 bytes", () => {
  assert.is.not(newDeviceToken(keyRing, ann, now), token);
  assert.ok(token.length <= 64);
});

test("it does not work for another user or installation, and ends with the password", () => {
  assert.not(isDeviceOf(keyRing, { ...ann, userId: 2 }, token, now));
  assert.not(isDeviceOf(keyRing, { ...ann, verifier: "$argon2id$two" }, token, now));
  assert.not(isDeviceOf(KeyRing.open(tempDir(), true), ann, token, now));
});

const [prefix = "", end = "", random = "", proof = ""] = token.split("_");
const forged: readonly string[] = [
  "",
  "fld_",
  token.slice(0, -1),
  `${token}0`,
  token.toUpperCase(),
  ` ${token}`,
  `${token}\n`,
  [prefix, (parseInt(end, 36) + 1).toString(36), random, proof].join("_"),
  [prefix, end, "0".repeat(16), proof].join("_"),
  [prefix, end, random, "0".repeat(32)].join("_"),
  [prefix, end, random, ""].join("_"),
  "fld_".repeat(10_000),
];
for (const text of forged) {
  test(`${JSON.stringify(text.slice(0, 70))} is not such a token`, () =>
    assert.not(isDeviceOf(keyRing, ann, text, now)));
}

test.run();
