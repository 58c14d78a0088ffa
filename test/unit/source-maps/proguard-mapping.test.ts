import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { EventBudget } from "../../../plugins/source-maps/src/events/reading.ts";
import { MapCompiler } from "../../../plugins/source-maps/src/mapping/compile-in-worker.ts";
import { MapError } from "../../../plugins/source-maps/src/mapping/map-limits.ts";
import { compileMapping } from "../../../plugins/source-maps/src/proguard/mapping-index.ts";
import { lookUpMapping } from "../../../plugins/source-maps/src/proguard/look-up-mapping.ts";
import { mappingLimits, type MappingLimits } from "../../../plugins/source-maps/src/proguard/read-mapping.ts";
import { mappingIdOf } from "../../../plugins/source-maps/src/proguard/store-mappings.ts";
import { readerOf } from "../../support/source-maps/reader.ts";
import { packed } from "../../support/source-maps/packed.ts";

/** Reading and compiling mappings of ProGuard and R8. */

/** Reads all. */
const all = () => new EventBudget(Infinity);

const fixture = readFileSync(join(import.meta.dirname, "../../fixtures/source-maps/proguard-7.5.0.txt"));

test("a mapping has the UUID that sentry-cli gives it", () => {
  assert.is(compileMapping({ mapping: fixture }).uuid, "d3a34968-b87c-55b3-8edd-1d4d42b11bbe");
});

test("a mapping is compiled in a thread exactly as in the event loop", async () => {
  const compiler = new MapCompiler();
  try {
    const expected = compileMapping({ mapping: fixture });
    assert.equal(await compiler.compile({ mapping: Buffer.from(fixture) }), expected);
  } finally {
    await compiler.stop();
  }
});

test("source maps and mappings take turns if there is one thread, each with a separate heap", async () => {
  const compiler = new MapCompiler({ threadCount: 1, heapMiB: 40, mappingHeapMiB: 200 });
  const map = () => ({
    headers: {},
    script: packed(Buffer.from("")),
    map: packed(Buffer.from('{"version":3,"sources":["a.ts"],"names":[],"mappings":"AAAA"}')),
  });
  const names = Array.from(
    { length: 60_000 },
    (_, n) => `com.example.Class${n} -> a${n}:\n    void call${n}(int) -> b\n`,
  );
  try {
    const compiled = await Promise.all([
      compiler.compile(map()),
      compiler.compile({ mapping: Buffer.from(names.join("")) }), // takes more than 40 MiB
      compiler.compile(map()),
    ]);
    assert.ok(compiled.every(({ index }) => index.length > 0));
    assert.is(compiler.threadCount, 1);
  } finally {
    await compiler.stop();
  }
});

test("a mapping that takes too long is refused as one", async () => {
  const compiler = new MapCompiler({ msPerMap: 1 });
  const refused = await compiler.compile({ mapping: Buffer.from(fixture) }).catch((error: unknown) => error);
  await compiler.stop();
  assert.instance(refused, MapError);
  assert.match(String(refused), /The mapping takes more than 0.001 s to compile. Keep the names/);
});

test("each class of a large mapping is found by four reads of a small part of its index", async () => {
  const classes = Array.from({ length: 20_000 }, (_, n) => n.toString(36));
  const mapping = classes.map(
    (name, n) => `com.acme.Class${n} -> a.${name}:\n    1:9:void run():${n + 1}:${n + 9} -> a\n`,
  );
  const { index } = compileMapping({ mapping: Buffer.from(mapping.join("")) });
  for (const n of [0, 1, 35, 36, 9_999, 19_999]) {
    const reader = readerOf(index);
    const className = `a.${n.toString(36)}`;
    const records = await lookUpMapping(reader, [{ className, method: "a" }, { className: "a.none" }], all());
    assert.equal(records.classOf(className), { name: `com.acme.Class${n}` });
    assert.equal(records.rangesOf(className, "a"), [{ lines: [1, 9], name: "run", original: [n + 1, n + 9] }]);
    assert.is(records.classOf("a.none"), undefined);
    assert.ok(reader.readCount <= 4, `${reader.readCount} reads`);
    assert.ok(reader.longestRead < 40_000, `${reader.longestRead} bytes`);
  }
});

test("each name is found by itself, also where a block of the index begins with it", async () => {
  const classes = Array.from({ length: 600 }, (_, n) => `a.${n.toString(36)}`);
  const mapping = classes.map((name, n) => `com.acme.Class${n} -> ${name}:\n    1:9:void run${n}():1:9 -> a\n`);
  const index = readerOf(compileMapping({ mapping: Buffer.from(mapping.join("")) }).index);
  for (const [n, className] of classes.entries()) {
    assert.is((await lookUpMapping(index, [{ className }], all())).classOf(className)?.name, `com.acme.Class${n}`);
    const records = await lookUpMapping(index, [{ className, method: "a" }], all());
    assert.is(records.rangesOf(className, "a")?.[0]?.name, `run${n}`);
  }
});

test("names beyond the budget are not read: the last ones, or all if the directory is too long", async () => {
  const classes = Array.from({ length: 20_000 }, (_, n) => `a.${n.toString(36)}`);
  const mapping = classes.map((name, n) => `com.acme.Class${n} -> ${name}:\n    1:9:void run${n}():1:9 -> a\n`);
  const { index } = compileMapping({ mapping: Buffer.from(mapping.join("")) });
  const names = [100, 9_000, 100, 15_000].map((n) => ({ className: classes[n] ?? "", method: "a" }));
  const read = async (bytes: number) => {
    const reader = readerOf(index);
    const records = await lookUpMapping(reader, names, new EventBudget(bytes));
    const known = names.map(({ className }) => [
      records.classOf(className) !== undefined,
      records.isBeyondBudget(className),
    ]);
    return { known, readCount: reader.readCount };
  };
  const [known, beyond] = [
    [true, false],
    [false, true],
  ];
  assert.equal(await read(2 ** 20), { known: [known, known, known, known], readCount: 5 });
  assert.equal(await read(70_000), { known: [known, known, known, beyond], readCount: 4 });
  assert.equal(await read(10), { known: [beyond, beyond, beyond, beyond], readCount: 1 });
});

const refusals: [text: string, limits: Partial<MappingLimits>, message: RegExp][] = [
  ["", {}, /names no class/],
  ["\0\u0001binary\n", {}, /names no class/],
  ["    1:1:void a():1:1 -> b\n", {}, /a method before the first class/],
  ["a.B -> x:\na.C -> y:\n", { classes: 1 }, /more than 1 classes/],
  ["a.B -> x:\n    void a() -> b\n    void c() -> d\n", { ranges: 1 }, /more than 1 lines of methods/],
  ["a.B -> x:\n", { bytes: 4 }, /more than .* MiB/],
  ["a.B -> x:\n", { indexBytes: 4 }, /has an index of more than/],
];

for (const [text, limits, message] of refusals) {
  test(`a mapping is refused: ${message.source}`, () => {
    try {
      compileMapping({ mapping: Buffer.from(text) }, { ...mappingLimits, ...limits });
    } catch (error) {
      assert.instance(error, MapError);
      assert.match((error as MapError).message, message);
      return;
    }
    assert.unreachable();
  });
}

const warnings: [text: string, limits: Partial<MappingLimits>, warning: RegExp][] = [
  ["a.B -> x:\n    void a() -> b\n", {}, /has no lines/],
  [`# {"id":"com.android.tools.r8.mapping","version":"9.1"}\na.B -> x:\n    1:1:void a() -> b\n`, {}, /version 9.1/],
  ["a.B -> x:\n    1:1:void a() -> b\n    2:2:void c() -> b\n", { rangesOfMethod: 1 }, /a.B.c has more than 1 ranges/],
];

for (const [text, limits, warning] of warnings) {
  test(`an upload says of a mapping: ${warning.source}`, () => {
    const compiled = compileMapping({ mapping: Buffer.from(text) }, { ...mappingLimits, ...limits });
    assert.is(compiled.warnings.length, 1);
    assert.match(compiled.warnings[0] ?? "", warning);
  });
}

const names: [name: string, id: string | undefined][] = [
  ["/proguard/8daf6b98-45d0-52e5-95b2-db2f30a12bb3.txt", "8daf6b98-45d0-52e5-95b2-db2f30a12bb3"],
  ["proguard/8DAF6B9845D052E595B2DB2F30A12BB3.txt", "8daf6b98-45d0-52e5-95b2-db2f30a12bb3"],
  ["/proguard/mapping.txt", undefined],
  ["libfoo.so", undefined],
];

test("the name of an upload gives its id", () => {
  for (const [name, id] of names) assert.is(mappingIdOf(name), id, name);
});

test.run();
