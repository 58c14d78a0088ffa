import { deflateRawSync } from "node:zlib";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  BundleError,
  defaultBundleLimits,
  type BundleLimits,
} from "../../../plugins/source-maps/src/bundle/bundle-error.ts";
import { readBundle } from "../../../plugins/source-maps/src/bundle/read-bundle.ts";
import { bundleOf, sysb, zipOf, type TestEntry } from "../../support/source-maps/bundle-zip.ts";

const test = suite("hostile bundles");

const app: TestEntry = { name: "app.js", content: "console.log(1)" };
const whole = bundleOf([app]);
const manifest = (content: string | Buffer): Buffer => zipOf([{ name: "manifest.json", content }]);
const listed = (...names: string[]): TestEntry => ({
  name: "manifest.json",
  content: JSON.stringify({ files: Object.fromEntries(names.map((name) => [name, { type: "source" }])) }),
});

/** Two entries that share the bytes of the first. */
const overlapping = zipOf([app, { ...app, name: "twin.js", offset: 8 }, listed("app.js", "twin.js")]);

/** A first entry with data that contains the local header of the second. */
const reaching = zipOf([
  { ...app, compressedBytes: 60 },
  { name: "b.js", content: "x".repeat(100), method: 0 },
  listed("app.js"),
]);

/** The local header has a longer extra field than the directory can know, which moves the data into the next entry. */
const moved = Buffer.from(whole);
moved.writeUInt16LE(60, 8 + 28);

const misplaced = zipOf([{ ...app, offset: 9 }, listed("app.js")]);

const bomb = { name: "bomb.js", content: Buffer.alloc(1_000_000) };
const small = { expandedBytes: 100_000 };

type Case = [claim: string, zip: Buffer, code: string, sentence: RegExp, limits?: Partial<BundleLimits>];

const cases: Case[] = [
  ["nothing at all", Buffer.alloc(0), "not_a_bundle", /neither with SYSB nor as a zip/],
  ["other bytes", Buffer.from("<html>413 Request Entity Too Large</html>"), "not_a_bundle", /sentry-cli/],
  [
    "version 1",
    bundleOf([app], {}, { start: sysb(1) }),
    "unknown_version",
    /version 1, but only version 2 is supported/,
  ],
  ["version 3", bundleOf([app], {}, { start: sysb(3) }), "unknown_version", /version 3/],
  ["8 bytes without a zip", sysb(), "malformed_zip", /not a complete and valid zip.*Upload it again/],
  ["a bundle that is cut off", whole.subarray(0, -30), "malformed_zip", /truncated/],
  [
    "a bundle whose start is missing",
    Buffer.concat([sysb(), whole.subarray(60)]),
    "malformed_zip",
    /signature|cut off/,
  ],
  ["bytes behind the end record", Buffer.concat([whole, Buffer.from("more")]), "malformed_zip", /comment length/],
  [
    "an end record that counts too many entries",
    zipOf([app, listed("app.js")], { count: 3 }),
    "malformed_zip",
    /cut off/,
  ],
  ["an encrypted entry", bundleOf([{ ...app, flags: 1 }]), "encrypted", /"app.js" is encrypted/],
  ["strong encryption", bundleOf([{ ...app, flags: 0x41 }]), "malformed_zip", /strong encryption/],
  ["another compression", bundleOf([{ ...app, method: 93 }]), "unsupported_compression", /"app.js".*method 93/],
  ["two entries of one name", zipOf([app, app, listed("app.js")]), "duplicate_entry", /two entries named "app.js"/],
  ["two entries that share their bytes", overlapping, "overlapping_entries", /overlaps another entry/],
  ["an entry that reaches into the next", reaching, "overlapping_entries", /"app.js"/],
  ["an entry whose local header moves it into the next", moved, "overlapping_entries", /"app.js"/],
  ["an entry that begins elsewhere", misplaced, "malformed_zip", /"app.js" does not begin where/],
  ["an entry behind the end", bundleOf([{ ...app, offset: 0xfffffff0 }]), "overlapping_entries", /"app.js"/],
  ["an entry without a name", zipOf([{ ...app, name: "" }, listed()]), "invalid_name", /"" of an entry is empty/],
  ["a name with NUL", bundleOf([{ ...app, name: "a\0.js" }]), "invalid_name", /holds a NUL/],
  ["a name above 4,096 characters", bundleOf([{ ...app, name: "x".repeat(4097) }]), "invalid_name", /4096 characters/],
  [
    "a URL with NUL",
    bundleOf([app], { files: { "app.js": { url: "~/\0", type: "source" } } }),
    "invalid_name",
    /The URL .* holds a NUL/,
  ],
  ["a wrong checksum", bundleOf([{ ...app, crc: 7 }]), "damaged_entry", /"app.js" is damaged: its checksum differs/],
  [
    "data that is not deflate",
    bundleOf([{ ...app, data: Buffer.alloc(9, 0xff) }]),
    "damaged_entry",
    /not valid deflate/,
  ],
  [
    "data that is cut off",
    bundleOf([{ ...app, data: deflateRawSync(Buffer.from("abc")).subarray(0, -1) }]),
    "damaged_entry",
    /deflate/,
  ],
  [
    "a file that inflates to more than said",
    bundleOf([{ ...app, bytes: 5 }]),
    "damaged_entry",
    /does not have the 5 bytes/,
  ],
  [
    "a file that inflates to less than said",
    bundleOf([{ ...app, bytes: 99 }]),
    "damaged_entry",
    /does not have the 99 bytes/,
  ],
  [
    "a file that inflates to something where nothing is said",
    bundleOf([{ ...app, bytes: 0 }]),
    "damaged_entry",
    /0 bytes/,
  ],
  [
    "a stored file of another size than said",
    bundleOf([{ ...app, method: 0, bytes: 5 }]),
    "damaged_entry",
    /does not have the 5 bytes/,
  ],
  [
    "bytes behind the end of the deflate data",
    bundleOf([{ ...app, data: Buffer.concat([deflateRawSync(Buffer.from(app.content)), Buffer.from("more")]) }]),
    "damaged_entry",
    /does not have the 14 bytes/,
  ],
  ["no manifest", zipOf([app]), "no_manifest", /no manifest.json/],
  ["a manifest that is not JSON", manifest("{"), "malformed_manifest", /not valid JSON/],
  ["a manifest that is an array", manifest("[]"), "malformed_manifest", /It is not a JSON object/],
  ["a manifest that is null", manifest("null"), "malformed_manifest", /It is not a JSON object/],
  ["a manifest of brackets only", manifest("[".repeat(500_000)), "malformed_manifest", /more than 400000 brackets/],
  ["files that are an array", manifest('{"files":[1]}'), "malformed_manifest", /field files is not a JSON object/],
  [
    "a file that is a text",
    manifest('{"files":{"a":"b"}}'),
    "malformed_manifest",
    /entry for "a" is not a JSON object/,
  ],
  [
    "headers that are an array",
    manifest('{"files":{"a":{"type":"source","headers":[]}}}'),
    "malformed_manifest",
    /headers of "a"/,
  ],
  [
    "a file that is listed but missing",
    zipOf([listed("gone.js")]),
    "missing_entry",
    /lists "gone.js", but this entry does not exist/,
  ],
  [
    "a manifest that is too large",
    whole,
    "too_large",
    /"manifest.json".*limit of the manifest is 10 bytes/,
    { manifestBytes: 10 },
  ],
  ["a bundle that is too large", whole, "too_large", /limit is 100 bytes.*several parts/, { bundleBytes: 100 }],
  ["long names", whole, "too_large", /names of the bundle's entries have more than 10/, { nameLength: 10 }],
  ["too many entries", whole, "too_many_entries", /has 2 entries; the limit is 1/, { entries: 1 }],
  [
    "a number of entries that zip64 alone can say",
    zipOf([app], { count: 10 ** 12, isZip64: true }),
    "too_many_entries",
    /1000000000000 entries; the limit is 20000/,
  ],
  [
    "a file that is too large",
    whole,
    "too_large",
    /"app.js" has 14 bytes; the limit of one file is 10 bytes/,
    { fileBytes: 10 },
  ],
  ["files that are too large in all", whole, "too_large", /14 bytes in all; the limit is 13 bytes/, { allBytes: 13 }],
  [
    "a file that expands too much",
    bundleOf([bomb]),
    "expands_too_much",
    /"bomb.js" expands to more than 50 times/,
    small,
  ],
  [
    "a bomb that says it is small",
    bundleOf([{ ...bomb, bytes: 1000 }]),
    "damaged_entry",
    /"bomb.js" is damaged: it does not have the 1000 bytes/,
    small,
  ],
  [
    "a bomb that says its compressed data is large",
    bundleOf([{ ...bomb, compressedBytes: 900_000 }]),
    "overlapping_entries",
    /"bomb.js" overlaps/,
    small,
  ],
];

for (const [claim, zip, code, sentence, limits] of cases) {
  test(`${claim}: refused with ${code}`, async () => {
    const thrown = await readAll(zip, { ...defaultBundleLimits, ...limits });
    if (!(thrown instanceof BundleError)) throw new Error(`It was not refused: ${String(thrown)}`);
    assert.is(thrown.code, code);
    assert.match(thrown.message, sentence);
    assert.ok(thrown.message.length < 500);
  });
}

test("a bundle that is cut off anywhere, or has one wrong byte, is read or refused with a BundleError", async () => {
  for (let at = 0; at < whole.length; at++) {
    const damaged = whole.with(at, (whole[at] ?? 0) ^ 0xff);
    for (const zip of [whole.subarray(0, at), Buffer.from(damaged)]) {
      const thrown = await readAll(zip, defaultBundleLimits);
      assert.ok(thrown === undefined || thrown instanceof BundleError, `${at}: ${String(thrown)}`);
    }
  }
});

test("a bomb in a bundle in a bundle stays a file of bytes", async () => {
  const inner = bundleOf([bomb]);
  assert.is(
    await readAll(bundleOf([{ name: "inner.js", content: inner }]), { ...defaultBundleLimits, ...small }),
    undefined,
  );
});

/** The error of reading the bundle and all its files. */
async function readAll(zip: Buffer, limits: BundleLimits): Promise<unknown> {
  try {
    for await (const file of (await readBundle(zip, limits)).files()) assert.ok(file.content);
    return undefined;
  } catch (error) {
    return error;
  }
}

test.run();
