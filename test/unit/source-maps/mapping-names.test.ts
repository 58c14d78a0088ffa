import { encode } from "@jridgewell/sourcemap-codec";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { betterName, lookUp } from "../../../plugins/source-maps/src/mapping/look-up.ts";
import { compileMap } from "../../../plugins/source-maps/src/mapping/compile.ts";
import { mapLimits } from "../../../plugins/source-maps/src/mapping/map-limits.ts";
import { identifierAt } from "../../../plugins/source-maps/src/mapping/names/original-names.ts";
import { bundle } from "../../support/source-maps/bundle.ts";
import { readerOf } from "../../support/source-maps/reader.ts";

/** The found name of the function at the position of `throw` in a text. */
async function nameAtThrow(code: string, map: string, limits = mapLimits): Promise<string | undefined> {
  const { index, hasNames } = compileMap({ map: Buffer.from(map), minified: code }, limits);
  assert.ok(hasNames);
  const before = code.slice(0, code.indexOf("throw")).split(/\r\n|[\n\r\u2028\u2029]/);
  const found = await lookUp(readerOf(index), { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 });
  assert.ok(found);
  return found.functionName;
}

const fail = `throw new Error("here")`;

const bundled: [claim: string, code: string, name: string | undefined][] = [
  ["a function", `export function pay(amount: number) { if (amount) ${fail}; }`, "pay"],
  ["a generator", `export function* pages(count: number) { yield count; ${fail}; }`, "pages"],
  ["an async function", `export async function load(url: string) { await url; ${fail}; }`, "load"],
  ["an arrow of a variable", `export const save = (order: number) => { console.log(order); ${fail}; };`, "save"],
  ["an async arrow of a variable", `export const save = async (order: number) => { await order; ${fail}; };`, "save"],
  ["a function expression of a variable", `export const save = function (order: number) { ${fail}; };`, "save"],
  ["the default export", `export default function checkout() { ${fail}; }`, "checkout"],
  ["a method", `export class Basket { add(price: number) { console.log(price); ${fail}; } }`, "Basket.add"],
  ["a static method", `export class Basket { static of(price: number) { ${fail}; } }`, "Basket.of"],
  ["a private method", `export class Basket { #sum() { ${fail}; } total() { return this.#sum(); } }`, "Basket.#sum"],
  ["a constructor", `export class Basket { constructor(price: number) { ${fail}; } }`, "new Basket"],
  ["a getter", `export class Basket { get sum(): number { ${fail}; } }`, "Basket.sum"],
  ["an arrow of a class field", `export class Basket { clear = () => { console.log(1); ${fail}; }; }`, "Basket.clear"],
  ["a method of a class that lost its name", `export const make = () => class Inner { run() { ${fail}; } };`, "run"],
  ["a method of an object", `export const shop = { open(hour: number) { ${fail}; } };`, "shop.open"],
  ["an arrow of an object", `export const shop = { open: (hour: number) => { ${fail}; } };`, "shop.open"],
  ["a method of an object in an object", `export const a = { b: { c() { ${fail}; } } };`, "a.b.c"],
  ["a getter of an object", `export const shop = { get isOpen(): boolean { ${fail}; } };`, "shop.isOpen"],
  [
    "what is assigned to a prototype",
    `export function Old() {}\nOld.prototype.run = function () { ${fail}; };`,
    "Old.run",
  ],
  [
    "a function in a function",
    `export function outer(a: number) { function inner(b: number) { console.log(b); ${fail}; } inner(a); inner(2); return inner; }`,
    "inner",
  ],
  ["a default of a parameter", `export function on(handler = () => { ${fail}; }) { handler(); }`, "handler"],
  [
    "a callback, which nothing names",
    `export const run = (list: number[]) => list.map((one) => { ${fail}; });`,
    undefined,
  ],
  ["text outside of functions", `console.log(1); ${fail};`, undefined],
];

for (const [claim, code, name] of bundled) {
  test(`the name of ${claim} is found in a minified bundle`, async () => {
    const { code: minified, map } = await bundle({ "main.ts": code }, { minify: true });
    assert.equal(await nameAtThrow(minified, map), name, minified);
  });
}

/** A map of a single line that has a segment in each column, without names. */
const bare = JSON.stringify({ version: 3, sources: ["a.js"], names: [], mappings: "AAAA".padEnd(2_000, ",CAAC") });

const plain: [claim: string, code: string, name: string | undefined][] = [
  ["an export without a name is called default", "export default () => { throw 1 }", "default"],
  ["a function with a name of its own has that", "a = function b() { throw 1 }", "b"],
  ["a class without a name has that of its variable", "var a = class { b() { throw 1 } }", "a.b"],
  ["a class without any name leaves the method's", "f(class { b() { throw 1 } })", "b"],
  ["a method has the last four parts of a deep name", "a = { b: { c: { d: { e() { throw 1 } } } } }", "b.c.d.e"],
  ["a property of this is called as the property", "function A() { this.b = () => { throw 1 } }", "b"],
  ["a property of what a call returns is called as the property", "f().b = () => { throw 1 }", "b"],
  ["a computed property has no name", "a[b] = () => { throw 1 }", undefined],
  ["a computed method has no name", "a = { [b]() { throw 1 } }", undefined],
  ["a property in quotes has its name", 'a["b"] = () => { throw 1 }', "a.b"],
  ["a module of webpack has no name", "a = { 123: (e, t, n) => { throw 1 } }", undefined],
  ["a module of webpack with a path has no name", 'a = { "./b.js": (e, t, n) => { throw 1 } }', undefined],
  ["an alternative has the name of what it is assigned to", "a = a || (() => { throw 1 })", "a"],
  ["a branch has the name of what it is assigned to", "a = b ? () => { throw 1 } : c", "a"],
  ["a default in a pattern has its name", "var { a = () => { throw 1 } } = b", "a"],
  ["a script may return and await outside of functions", "await 1; function a() { throw 1 } return", "a"],
  ["a script that is no module is read", "with (a) { b = function () { throw 1 } }", "b"],
  ["a static block is none of a function", "function a() { class B { static { throw 1 } } }", "a"],
  ["what follows an inner function is the outer one's", "function a() { function b() {} throw 1 }", "a"],
  ["an anonymous function does not have the outer one's name", "function a() { f(() => { throw 1 }) }", undefined],
  [`a name of 256 units is one`, `a = { ${"b".repeat(256)}() { throw 1 } }`, `a.${"b".repeat(256)}`],
  ["a longer name is none", `a = { ${"b".repeat(257)}() { throw 1 } }`, undefined],
  ["a longer name in quotes is none", `a = { "${"b".repeat(257)}": () => { throw 1 } }`, undefined],
  ["what a longer name holds is named without it", `a = { b() { throw 1 } }`.replace("a", "c".repeat(257)), "b"],
  ["__proto__ is a name", "a = { __proto__() { throw 1 } }", "a.__proto__"],
];

for (const [claim, code, name] of plain) {
  test(claim, async () => assert.equal(await nameAtThrow(code, bare), name));
}

/**
 * Terser's result for a function that is used once: it moves to its use, and its start is mapped to its original place.
 */
const moved: [claim: string, original: string, at: string, name: string | undefined][] = [
  ["a function", "function pay() {}", "function", "pay"],
  ["an async generator", "async function* pages() {}", "async", "pages"],
  ["the arrow of a variable", "const pay = () => {}", "()", "pay"],
  ["the async arrow of a variable", "let pay = async () => {}", "async", "pay"],
  ["an arrow whose parenthesis was dropped", "const pay = (sum) => {}", "sum", "pay"],
  ["an anonymous function", "list.map(function () {})", "function", "onClick"],
  ["what follows a variable", "const sum = list.map(() => {})", "() =>", "onClick"],
  ["a function behind too much white space", `function${" ".repeat(300)}pay() {}`, "function", "onClick"],
];

for (const [claim, original, at, name] of moved) {
  test(`the name of a moved function is the name of ${claim} in the original text`, async () => {
    const code = "f({onClick:function(){throw 1}})";
    const segments = [[0, 0, 0, 0] as [number, number, number, number]];
    segments.push([code.indexOf("function"), 0, 0, original.indexOf(at)]);
    const mappings = encode([segments]);
    const map = JSON.stringify({ version: 3, sources: ["a.js"], sourcesContent: [original], names: [], mappings });
    assert.equal(await nameAtThrow(code, map), name);
  });
}

test("lines end as JavaScript ends them", async () => {
  const lines = ["function a() {}", "'\u{1f600}'; function b() {", "throw 1", "}"];
  const map = JSON.stringify({ version: 3, sources: ["a.js"], names: [], mappings: "AAAA;AACA;AACA;AACA" });
  for (const end of ["\n", "\r\n", "\r", "\u2028", "\u2029"]) {
    assert.equal(await nameAtThrow(lines.join(end), map), "b", JSON.stringify(end));
  }
});

for (const [units, name] of [
  [256, "x".repeat(256)],
  [257, "a"],
  [1_000_000, "a"],
] as const) {
  test(`an identifier of ${units} units in the original text is ${name === "a" ? "no" : "a"} name`, async () => {
    const mappings = encode([[[9, 0, 0, 0] as [number, number, number, number]]]);
    const sourcesContent = ["x".repeat(units)];
    const map = JSON.stringify({ version: 3, sources: ["a.js"], sourcesContent, names: [], mappings });
    assert.equal(await nameAtThrow("function a(){throw 1}", map), name);
  });
}

test("in a text that is one identifier each function looks at 257 units", () => {
  const looked: number[] = [];
  class Counted extends String {
    override slice(start?: number, end?: number): string {
      looked.push((end ?? 0) - (start ?? 0));
      return super.slice(start, end);
    }
  }
  const text = new Counted("x".repeat(1_000_000)) as string;
  for (let n = 0; n < 10; n += 1) assert.is(identifierAt(text, n * 1_000), undefined);
  assert.equal(
    looked,
    Array.from({ length: 10 }, () => 257),
  );
});

/** The name of a function without a name in the text, by the segments of its line. */
const elsewhere: [
  claim: string,
  code: string,
  at: (code: string) => number,
  isSame: boolean,
  name: string | undefined,
][] = [
  ["one column before its name", "function a(){throw 1}", () => 8, false, "pay"],
  ["two columns before its name", "function a(){throw 1}", () => 7, false, "a"],
  ["at a word before, for the same place", "function a(){throw 1}", () => 0, true, "pay"],
  ["at a word before, for another place", "function a(){throw 1}", () => 0, false, "a"],
  ["at its closing brace", "a={b(){throw 1}}", (code) => code.length - 2, false, "pay"],
  ["at the closing brace of a callback", "f(()=>{throw 1})", (code) => code.length - 2, false, undefined],
];

for (const [claim, code, at, isSame, name] of elsewhere) {
  test(`a name that the map has ${claim} is ${name === "pay" ? "" : "not "}the name of the function`, async () => {
    const named: [number, number, number, number, number] = [at(code), 0, 0, 0, 0];
    const identifier: [number, number, number, number] = [9, 0, 0, isSame ? 0 : 9];
    const thrown: [number, number, number, number] = [code.indexOf("throw"), 0, 1, 0];
    const segments = claim.includes("word") ? [named, identifier, thrown] : [named, thrown];
    const mappings = encode([segments.toSorted(([one], [other]) => one - other)]);
    const map = JSON.stringify({ version: 3, sources: ["a.js"], names: ["pay"], mappings });
    assert.equal(await nameAtThrow(code, map), name);
  });
}

const functionMaps: [claim: string, sources: unknown, name: string | undefined][] = [
  ["names a function", [[{ names: ["<global>", "pay"], mappings: "AAA,UCC" }]], "<global>"],
  ["of no list", {}, "a"],
  ["without names", [[{ mappings: "AAA" }]], "a"],
  ["that is no VLQ", [[{ names: ["x"], mappings: "A!" }]], "a"],
  ["that goes below zero", [[{ names: ["x"], mappings: "D" }]], "a"],
  ["with a name that does not exist", [[{ names: [], mappings: "AAA" }]], undefined],
  ["for more sources than there are", [null, [{ names: ["x"], mappings: "AAA" }]], "a"],
  ["that is too long", [[{ names: Array.from({ length: 20 }, () => "x"), mappings: "AAA" }]], "a"],
];

for (const [claim, sources, name] of functionMaps) {
  test(`a function map ${claim} leaves the map usable`, async () => {
    const map = JSON.stringify({ ...JSON.parse(bare), x_facebook_sources: sources });
    assert.equal(await nameAtThrow("function a(){throw 1}", map, { ...mapLimits, functions: 10 }), name);
  });
}

const nested = `${"(".repeat(100_000)}1${")".repeat(100_000)}`;
const lost: [claim: string, code: string, limits?: Partial<typeof mapLimits>][] = [
  ["that is no JavaScript", "function ("],
  ["that nests too deep", nested],
  ["that is too long", "function a() {}", { minifiedLength: 10 }],
  ["that has too many functions", "function a() {} function b() {}", { functions: 1 }],
  ["whose names are too long", `function ${"a".repeat(100)}() {}`, { textBytes: 50 }],
  ["that takes too long", "a;".repeat(5_000), { namesMs: -1 }],
];

for (const [claim, code, limits] of lost) {
  test(`a minified text ${claim} costs the names of functions only`, async () => {
    const compiled = compileMap({ map: Buffer.from(bare), minified: code }, { ...mapLimits, ...limits });
    assert.not(compiled.hasNames);
    const found = await lookUp(readerOf(compiled.index), { line: 1, column: 3 });
    assert.equal(found, { source: 0, line: 1, column: 3 });
  });
}

test("an object of 200,000 properties is read", () => {
  const code = `a={${Array.from({ length: 200_000 }, (_, index) => `a${index}:1`).join()}}`;
  assert.ok(compileMap({ map: Buffer.from(bare), minified: code }).hasNames);
});

const better: [claim: string, own: string | undefined, caller: string | undefined, name: string | undefined][] = [
  ["a name of its own is kept", "pay", "checkout", "pay"],
  ["an anonymous function is called as its caller calls it", "<anonymous>", "checkout", "checkout"],
  ["a function without a name is called as its caller calls it", undefined, "checkout", "checkout"],
  ["webpack's own names are replaced", "__webpack_require__", "checkout", "checkout"],
  ["webpack's own names replace nothing", undefined, "__webpack_modules__", undefined],
  ["nothing better leaves what is there", "<anonymous>", undefined, "<anonymous>"],
];

for (const [claim, own, caller, name] of better) {
  test(claim, () => assert.equal(betterName(own, caller), name));
}

test.run();
