import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { KeyRing } from "../../backend/src/storage/secrets/key-ring.ts";
import { StartRefusal } from "@faultline/plugin";
import { tempDir } from "../support/service/temp-dir.ts";

const keyRing = suite("key ring");

const place = "settings:1:external_auth_token";

keyRing("what is encrypted is decrypted for the same place", () => {
  const ring = KeyRing.open(tempDir(), true);
  for (const text of ["", "s3cret", "東京 🗼", "x".repeat(100_000)]) {
    assert.is(ring.decrypt(place, ring.encrypt(place, text)), text);
  }
});

keyRing("the same text is encrypted differently each time and never shows", () => {
  const ring = KeyRing.open(tempDir(), true);
  const sealed = [ring.encrypt(place, "s3cret"), ring.encrypt(place, "s3cret")];
  assert.is.not(sealed[0], sealed[1]);
  assert.not.match(sealed.join(), "s3cret");
});

keyRing("what is encrypted for one place is not decrypted for another", () => {
  const ring = KeyRing.open(tempDir(), true);
  const sealed = ring.encrypt(place, "s3cret");
  assert.throws(() => ring.decrypt("settings:2:external_auth_token", sealed));
});

keyRing("the ring of another installation decrypts nothing", () => {
  const sealed = KeyRing.open(tempDir(), true).encrypt(place, "s3cret");
  assert.throws(() => KeyRing.open(tempDir(), true).decrypt(place, sealed));
});

keyRing("a text damaged in any part is not decrypted", () => {
  const ring = KeyRing.open(tempDir(), true);
  const parts = ring.encrypt(place, "a secret of some length").split(".");
  for (const [n, part] of parts.entries()) {
    const flipped = part.replace(/^./, (first) => (first === "A" ? "B" : "A"));
    for (const damaged of [flipped, part.slice(0, -4), ""]) {
      assert.throws(() => ring.decrypt(place, parts.with(n, damaged).join(".")), undefined, `part ${n}: "${damaged}"`);
    }
  }
  for (const text of ["", "v1", "v1.1..", parts.slice(0, 4).join(".")]) assert.throws(() => ring.decrypt(place, text));
});

keyRing("a second start reads the same keys", () => {
  const dir = tempDir();
  const first = KeyRing.open(dir, true);
  const second = KeyRing.open(dir, false);
  assert.is(second.decrypt(place, first.encrypt(place, "s3cret")), "s3cret");
  assert.is(second.digest("session", "token"), first.digest("session", "token"));
});

/** The content of the key file. */
function keyFile(dir: string): { pepper: string; keys: { id: string; secret: string }[] } {
  return JSON.parse(readFileSync(join(dir, "secrets.json"), "utf8")) as ReturnType<typeof keyFile>;
}

keyRing("after a rotation the new key encrypts, older ones still decrypt, and a second start knows all", () => {
  const dir = tempDir();
  const ring = KeyRing.open(dir, true);
  const old = ring.encrypt(place, "s3cret");
  const digest = ring.digest("session", "token");
  ring.rotate();
  assert.is(ring.keyCount, 2);
  for (const open of [ring, KeyRing.open(dir, false)]) {
    assert.is(open.decrypt(place, old), "s3cret");
    assert.match(open.encrypt(place, "s3cret"), /^v1\.2\./);
    assert.is(open.activePrefix, "v1.2.");
    assert.is(open.digest("session", "token"), digest);
  }
});

keyRing("rotations in a row give each key a new id and secret", () => {
  const dir = tempDir();
  const ring = KeyRing.open(dir, true);
  for (const _ of [1, 2]) ring.rotate();
  const { keys } = keyFile(dir);
  assert.equal(
    keys.map(({ id }) => id),
    ["3", "2", "1"],
  );
  assert.is(new Set(keys.map(({ secret }) => secret)).size, 3);
});

keyRing(
  "old keys that are dropped are gone from the file and open nothing; the id of a dropped key is not given again",
  () => {
    const dir = tempDir();
    const ring = KeyRing.open(dir, true);
    const { pepper } = keyFile(dir);
    const old = ring.encrypt(place, "s3cret");
    ring.rotate();
    const renewed = ring.encrypt(place, ring.decrypt(place, old));
    ring.dropOldKeys();
    for (const open of [ring, KeyRing.open(dir, false)]) {
      assert.is(open.keyCount, 1);
      assert.throws(() => open.decrypt(place, old), /key 1 is not in the key file/);
      assert.is(open.decrypt(place, renewed), "s3cret");
    }
    assert.is(keyFile(dir).pepper, pepper);
    assert.equal(readdirSync(dir), ["secrets.json"]);
    assert.is(statSync(join(dir, "secrets.json")).mode & 0o777, 0o600);
    ring.rotate();
    assert.is(keyFile(dir).keys[0]?.id, "3");
  },
);

keyRing("a rotation that cannot be written changes nothing", () => {
  const dir = tempDir();
  const ring = KeyRing.open(dir, true);
  mkdirSync(join(dir, "secrets.json.new")); // where the draft would be
  assert.throws(() => ring.rotate());
  assert.is(ring.keyCount, 1);
  assert.match(ring.encrypt(place, "s3cret"), /^v1\.1\./);
  assert.is(KeyRing.open(dir, false).keyCount, 1);
});

keyRing("half a draft of the key file, left by a crash, is no obstacle", () => {
  const dir = tempDir();
  const ring = KeyRing.open(dir, true);
  writeFileSync(join(dir, "secrets.json.new"), '{"pepper":"');
  assert.is(KeyRing.open(dir, false).keyCount, 1);
  ring.rotate();
  assert.is(KeyRing.open(dir, false).keyCount, 2);
});

keyRing("digests differ by purpose, by secret and by installation", () => {
  const ring = KeyRing.open(tempDir(), true);
  const digests = [
    ring.digest("session", "a"),
    ring.digest("session", "b"),
    ring.digest("access token", "a"),
    KeyRing.open(tempDir(), true).digest("session", "a"),
  ];
  assert.is(new Set(digests).size, digests.length);
  for (const digest of digests) assert.match(digest, /^[0-9a-f]{64}$/);
});

keyRing("the key file is its owner's alone and no draft of it stays", () => {
  const dir = join(tempDir(), "data");
  mkdirSync(dir);
  chmodSync(dir, 0o755); // whatever the directory allows
  KeyRing.open(dir, true);
  assert.is(statSync(join(dir, "secrets.json")).mode & 0o777, 0o600);
  assert.equal(readdirSync(dir), ["secrets.json"]);
});

keyRing("a missing key file is not made anew where there is a database", () => {
  const dir = tempDir();
  assert.match(refusalOf(dir).message, /secrets\.json is missing.*backup/);
  assert.equal(readdirSync(dir), []);
});

const pepper = Buffer.alloc(32, 1).toString("base64");
const key = { id: "1", secret: pepper };
const damagedFiles: [damage: string, content: string][] = [
  ["empty", ""],
  ["half a file", '{"pepper":"'],
  ["no object", "null"],
  ["without a pepper", JSON.stringify({ keys: [key] })],
  ["with a short pepper", JSON.stringify({ pepper: "AAAA", keys: [key] })],
  ["without keys", JSON.stringify({ pepper, keys: [] })],
  ["without a list of keys", JSON.stringify({ pepper })],
  ["with a key without a secret", JSON.stringify({ pepper, keys: [{ id: "1" }] })],
  ["with an empty secret", JSON.stringify({ pepper, keys: [{ id: "1", secret: "" }] })],
];

for (const [damage, content] of damagedFiles) {
  keyRing(`a key file ${damage} is refused and left as it is`, () => {
    const dir = tempDir();
    writeFileSync(join(dir, "secrets.json"), content);
    assert.match(refusalOf(dir).message, /secrets\.json cannot be read.*backup/);
    assert.is(readFileSync(join(dir, "secrets.json"), "utf8"), content);
  });
}

function refusalOf(dir: string): StartRefusal {
  try {
    KeyRing.open(dir, false);
  } catch (error) {
    assert.instance(error, StartRefusal);
    return error as StartRefusal;
  }
  return assert.unreachable("the key ring was opened") as never;
}

keyRing.run();
