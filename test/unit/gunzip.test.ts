import { gunzipSync, gzipSync } from "node:zlib";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { gunzip } from "../../plugins/http-bridge/src/ingest/body/decoding/gunzip.ts";

const test = suite("gunzip");

const text = Buffer.from('{"message":"Cannot read properties of undefined"}'.repeat(90));
const whole = gzipSync(text);
const [first = Buffer.alloc(0), second = Buffer.alloc(0)] = [gzipSync("first "), gzipSync("and second")];
const damaged = (at: number) => whole.with(at, (whole[at] ?? 0) ^ 1);
const said = (bytes: number) => {
  const copy = Buffer.from(whole);
  copy.writeUInt32LE(bytes, copy.length - 4);
  return copy;
};

/** The decoded body, or the error that refuses it. */
const outcome = (decode: () => Buffer): string => {
  try {
    return decode().toString("latin1");
  } catch (error) {
    return String(error);
  }
};

const bodies: readonly (readonly [what: string, body: Uint8Array, maxBytes?: number])[] = [
  ["a whole body", whole],
  ["a body of nothing", gzipSync("")],
  ["a body of no bytes", Buffer.alloc(0)],
  ["a body that is cut off", whole.subarray(0, -12)],
  ["a body without its trailer", whole.subarray(0, -8)],
  ["a body with a damaged header", damaged(1)],
  ["a body with damaged data", damaged(20)],
  ["a body with a wrong checksum", damaged(whole.length - 6)],
  ["a body that says it is shorter", said(10)],
  ["a body that says it is longer", said(100_000)],
  ["two members", Buffer.concat([first, second])],
  ["a member and a half", Buffer.concat([whole, second.subarray(0, -9)])],
  ["garbage behind a member", Buffer.concat([whole, Buffer.from("garbage")])],
  ["zeros behind a member", Buffer.concat([whole, Buffer.alloc(9)])],
  ["a body that may just be so long", whole, text.length],
  ["a body that is longer than it may be", whole, text.length - 1],
];

for (const [what, body, maxBytes = 1_000_000] of bodies) {
  test(`${what} has the outcome that Node's own function has, also behind one that failed`, () => {
    const bytes = Buffer.from(body);
    const announced = bytes.length < 18 ? 0 : bytes.readUInt32LE(bytes.length - 4);
    const expected = outcome(() => gunzipSync(bytes, { maxOutputLength: maxBytes }));
    for (let time = 1; time <= 2; time++) {
      assert.is(
        outcome(() => gunzip(bytes, announced, maxBytes)),
        expected,
      );
    }
    assert.equal(gunzip(whole, text.length, text.length), text);
  });
}

test("a body that was decompressed before stays as it is", () => {
  const before = gunzip(whole, text.length, text.length);
  gunzip(gzipSync("x".repeat(text.length)), text.length, text.length);
  assert.equal(before, text);
});

test.run();
