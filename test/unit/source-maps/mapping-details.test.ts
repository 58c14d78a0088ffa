import { encode } from "@jridgewell/sourcemap-codec";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { compileMap } from "../../../plugins/source-maps/src/mapping/compile.ts";
import { lookUp, type Found } from "../../../plugins/source-maps/src/mapping/look-up.ts";
import { readerOf } from "../../support/source-maps/reader.ts";

const plain = { version: 3, sources: ["a.ts"], names: [] as unknown[], mappings: "AAAA" };
const bytesOf = (text: string) => new TextEncoder().encode(text);
const compiled = (fields: object) => compileMap({ map: Buffer.from(JSON.stringify({ ...plain, ...fields })) });
const sourceNames = (fields: object) => compiled(fields).sources.map(({ name }) => name);

async function find(fields: object, line: number, column: number): Promise<Found | undefined> {
  return await lookUp(readerOf(compiled(fields).index), { line, column });
}

test("positions begin at 1, and column 0 is taken as the first", async () => {
  const mappings = encode([[[0, 0, 4, 6]], [[3, 0, 7, 1]]]);
  assert.equal(await find({ mappings }, 1, 1), { source: 0, line: 5, column: 7 });
  assert.equal(await find({ mappings }, 1, 0), { source: 0, line: 5, column: 7 });
  assert.equal(await find({ mappings }, 2, 4), { source: 0, line: 8, column: 2 });
});

test("nothing is found before the first segment of a line, on lines without any, and behind the last", async () => {
  const mappings = encode([[[0, 0, 4, 6]], [], [[3, 0, 7, 1]]]);
  for (const [line, column] of [
    [3, 3],
    [2, 1],
    [2, 1e9],
    [4, 1],
    [1e9, 1],
    [0, 1],
    [-1, 1],
  ] as const) {
    assert.is(await find({ mappings }, line, column), undefined, `${line}:${column}`);
  }
  assert.is(await find({ mappings: "" }, 1, 1), undefined);
});

test("a segment of one number has no source, and ends the previous one", async () => {
  const mappings = encode([[[0, 0, 0, 0], [5], [9, 0, 1, 0]]]);
  assert.is((await find({ mappings }, 1, 5))?.line, 1);
  assert.is(await find({ mappings }, 1, 6), undefined);
  assert.is((await find({ mappings }, 1, 10))?.line, 2);
});

test("numbers behind the fifth are left to future versions", async () => {
  assert.equal(await find({ mappings: "AAAAACC,CAAA", names: ["a"] }, 1, 1), {
    source: 0,
    line: 1,
    column: 1,
    name: "a",
  });
});

test("columns of 10^9 are columns", async () => {
  const mappings = encode([[[1e9, 0, 1e9, 1e9]]]);
  assert.is(await find({ mappings }, 1, 1e9), undefined);
  assert.equal(await find({ mappings }, 1, 1e9 + 1), { source: 0, line: 1e9 + 1, column: 1e9 + 1 });
});

test("null sources keep their places", async () => {
  const fields = {
    sources: [null, "b.ts"],
    mappings: encode([
      [
        [0, 1, 0, 0],
        [5, 0, 0, 0],
      ],
    ]),
    sourcesContent: ["x"],
  };
  assert.equal(compiled(fields).sources, [
    { name: "", content: bytesOf("x"), isIgnored: false },
    { name: "b.ts", content: undefined, isIgnored: false },
  ]);
  assert.is((await find(fields, 1, 1))?.source, 1);
  assert.is((await find(fields, 1, 6))?.source, 0);
});

test("__proto__ is a source and a name like others", async () => {
  const fields = { sources: ["__proto__", "constructor"], names: ["__proto__"], mappings: encode([[[0, 0, 0, 0, 0]]]) };
  assert.equal(sourceNames(fields), ["__proto__", "constructor"]);
  assert.equal(await find(fields, 1, 1), { source: 0, line: 1, column: 1, name: "__proto__" });
  const map = Buffer.from('{"__proto__":{"mappings":"C"},"version":3,"sources":["a"],"mappings":"AAAA"}');
  assert.ok(await lookUp(readerOf(compileMap({ map }).index), { line: 1, column: 1 }));
});

test("a name that does not exist is none", async () => {
  for (const names of [[], [null], [""], undefined, null]) {
    assert.equal(await find({ names, mappings: "AAAAA" }, 1, 1), { source: 0, line: 1, column: 1 });
  }
});

test("names and sources are read as JSON has them", async () => {
  const text = 'ü😀"\\\n\u2028';
  const fields = { sources: [text], sourcesContent: [text], names: [text], mappings: "AAAAA" };
  assert.equal(compiled(fields).sources, [{ name: text, content: bytesOf(text), isIgnored: false }]);
  assert.is((await find(fields, 1, 1))?.name, text);
  const escaped = String.raw`{"\u0076ersion":3,"sources":["\ud83d\ude00"],"names":["\u0061"],"mappings":"\u0041AAAA"}`;
  const { index, sources } = compileMap({ map: Buffer.from(escaped) });
  assert.is(sources[0]?.name, "😀");
  assert.is((await lookUp(readerOf(index), { line: 1, column: 1 }))?.name, "a");
});

test("a name of more than 1,000 bytes is cut between characters", async () => {
  const name = (await find({ names: ["ä".repeat(2_000)], mappings: "AAAAA" }, 1, 1))?.name;
  assert.is(name, "ä".repeat(500));
});

test("columns are UTF-16 units: a surrogate pair counts two", async () => {
  const mappings = encode([
    [
      [0, 0, 0, 0],
      ["'😀';".length, 0, 0, 9],
    ],
  ]);
  assert.is((await find({ mappings }, 1, 5))?.column, 1);
  assert.is((await find({ mappings }, 1, 6))?.column, 10);
});

test("the prefix that keeps a map from being run as a script is left out, and so is a byte order mark", () => {
  const json = JSON.stringify(plain);
  for (const before of [")]}'\n", ")]}'\r\n", ")]}'", ")]}',\n", "\ufeff", "\ufeff)]}'\n", " \n"]) {
    assert.is(compileMap({ map: Buffer.from(`${before}${json}\n`) }).sources.length, 1, JSON.stringify(before));
  }
});

test("sourceRoot comes before relative sources only", () => {
  const sources = ["a.ts", "../b.ts", "/c.ts", "webpack:///d.ts", null];
  const whole = ["/c.ts", "webpack:///d.ts", ""];
  assert.equal(sourceNames({ sources, sourceRoot: "src" }), ["src/a.ts", "src/../b.ts", ...whole]);
  assert.equal(sourceNames({ sources, sourceRoot: "src/" }), ["src/a.ts", "src/../b.ts", ...whole]);
  for (const sourceRoot of [undefined, null, "", 1]) {
    assert.equal(sourceNames({ sources, sourceRoot }), ["a.ts", "../b.ts", ...whole]);
  }
});

test("ignoreList and its old name mark sources", () => {
  const sources = ["a.ts", "b.ts", "c.ts"];
  const ignored = (fields: object) => compiled({ sources, ...fields }).sources.map(({ isIgnored }) => isIgnored);
  assert.equal(ignored({ ignoreList: [1] }), [false, true, false]);
  assert.equal(ignored({ x_google_ignoreList: [0, 2, 9, "1"] }), [true, false, true]);
  assert.equal(ignored({ ignoreList: [1], x_google_ignoreList: [0] }), [false, true, false]);
  assert.equal(ignored({ ignoreList: null }), [false, false, false]);
});

test("sections inherit nothing, and number their sources one after the other", async () => {
  const one = {
    version: 3,
    sourceRoot: "one",
    sources: ["a.ts"],
    sourcesContent: ["x"],
    mappings: "AAAA",
    ignoreList: [0],
  };
  const other = { version: 3, sources: ["a.ts"], names: ["n"], mappings: "EAAAA" };
  const sections = [
    { offset: { line: 0, column: 4 }, map: one },
    { offset: { line: 2, column: 3 }, map: other },
  ];
  const map = Buffer.from(JSON.stringify({ version: 3, sections }));
  const { index, sources } = compileMap({ map });
  assert.equal(sources, [
    { name: "one/a.ts", content: bytesOf("x"), isIgnored: true },
    { name: "a.ts", content: undefined, isIgnored: false },
  ]);
  const at = (line: number, column: number) => lookUp(readerOf(index), { line, column });
  assert.is(await at(1, 4), undefined);
  assert.equal(await at(1, 5), { source: 0, line: 1, column: 1 });
  assert.is(await at(3, 5), undefined);
  assert.equal(await at(3, 6), { source: 1, line: 1, column: 1, name: "n" });
});

test("a lookup takes at most six reads of at most 25 KiB, whatever the size", async () => {
  const line = Array.from({ length: 50_000 }, (_, index): [number, number, number, number, number] => [
    index * 3,
    0,
    index,
    index % 90,
    index % 2,
  ]);
  const fields = { names: ["a", "b"], mappings: encode([line]) };
  const minified = `function a(){${";".repeat(150_000)}}`;
  const { index } = compileMap({ map: Buffer.from(JSON.stringify({ ...plain, ...fields })), minified });
  const reader = readerOf(index);
  assert.equal(await lookUp(reader, { line: 1, column: 90_002 }), {
    source: 0,
    line: 30_001,
    column: 31,
    name: "a",
    functionName: "b",
  });
  assert.ok(reader.readCount <= 6);
  assert.ok(reader.longestRead <= 25 * 1024);
});

test.run();
