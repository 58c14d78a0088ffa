import { suite } from "uvu";
import * as assert from "uvu/assert";
import { mapAddresses, type PairFile, pairFiles, whyUnusable } from "../../../plugins/source-maps/src/bundle/pairs.ts";

const test = suite("pairs");

const file = (type: PairFile["type"], url: string, rest: Partial<PairFile> = {}): PairFile => ({
  path: url.replace("~", "_/_"),
  url,
  type,
  debugIds: [],
  ...rest,
});
const script = (url: string, rest: Partial<PairFile> = {}) => file("minified_source", url, rest);
const map = (url: string, ...debugIds: string[]) => file("source_map", url, { debugIds });

type Case = {
  readonly claim: string;
  readonly files: readonly PairFile[];
  /** Script, map, ids. */
  readonly pairs?: readonly (readonly [string, string, ...string[]])[];
  readonly sourceOnly?: readonly string[];
  readonly mapOnly?: readonly string[];
  readonly warnings?: readonly RegExp[];
};

const cases: readonly Case[] = [
  { claim: "nothing has no pairs", files: [] },
  {
    claim: "a shared id pairs a script and a map, wherever they lie",
    files: [script("~/1.js", { debugIds: ["a"], sourceMapUrl: "index-x.js.map" }), map("~/other.map", "a")],
    pairs: [["~/1.js", "~/other.map", "a"]],
  },
  {
    claim: "a shared id comes before the reference",
    files: [
      script("~/1.js", { debugIds: ["a"], sourceMapUrl: "1.js.map" }),
      map("~/1.js.map", "b"),
      map("~/2.map", "a"),
    ],
    pairs: [["~/1.js", "~/2.map", "a"]],
    mapOnly: ["~/1.js.map"],
    warnings: [/^The map "~\/1.js.map" belongs to no script/],
  },
  {
    claim: "the first id of a script that a map has decides, and all ids of both are the pair's",
    files: [script("~/1.js", { debugIds: ["a", "b"] }), map("~/b.map", "b", "c"), map("~/a.map", "d", "a")],
    pairs: [["~/1.js", "~/a.map", "a", "b", "d"]],
    mapOnly: ["~/b.map"],
    warnings: [
      /^"~\/1.js" has two debug ids: a, b\. Remove one of the two tools that inject them\.$/,
      /^The map "~\/b.map" belongs to no script/,
    ],
  },
  {
    claim: "without ids the reference pairs them",
    files: [script("~/js/1.js", { sourceMapUrl: "1.js.map" }), map("~/1.js.map"), map("~/js/1.js.map")],
    pairs: [["~/js/1.js", "~/js/1.js.map"]],
    mapOnly: ["~/1.js.map"],
    warnings: [/^The map "~\/1.js.map" belongs/],
  },
  {
    claim: "with ids that differ the reference pairs them, and events find the pair by each",
    files: [script("~/1.js", { debugIds: ["a"], sourceMapUrl: "1.js.map" }), map("~/1.js.map", "b")],
    pairs: [["~/1.js", "~/1.js.map", "a", "b"]],
  },
  {
    claim: "a map in the script is its map",
    files: [script("~/1.js", { debugIds: ["a"], hasInlineMap: true })],
    pairs: [["~/1.js", "inline", "a"]],
  },
  {
    claim: "several scripts may have one map",
    files: [script("~/1.js", { sourceMapUrl: "x.map" }), script("~/2.js", { sourceMapUrl: "x.map" }), map("~/x.map")],
    pairs: [
      ["~/1.js", "~/x.map"],
      ["~/2.js", "~/x.map"],
    ],
  },
  {
    claim: "an id that came with a library belongs to the script whose own it is",
    files: [
      script("~/app.js", { debugIds: ["a", "lib"], sourceMapUrl: "app.js.map" }),
      script("~/lib.js", { debugIds: ["lib"], sourceMapUrl: "lib.js.map" }),
      map("~/app.js.map", "a"),
      map("~/lib.js.map", "lib"),
    ],
    pairs: [
      ["~/app.js", "~/app.js.map", "a"],
      ["~/lib.js", "~/lib.js.map", "lib"],
    ],
    warnings: [/"~\/app.js" has two debug ids: a, lib/],
  },
  {
    claim: "a script does not get the map of a library whose id it carries",
    files: [
      script("~/app.js", { debugIds: ["a", "lib"] }),
      script("~/lib.js", { debugIds: ["lib"] }),
      map("~/lib.js.map", "lib"),
    ],
    pairs: [["~/lib.js", "~/lib.js.map", "lib"]],
    sourceOnly: ["~/app.js"],
    warnings: [/"~\/app.js" has two debug ids/, /"~\/app.js" has a debug id, but no map/],
  },
  {
    claim: "an id that came with a library to several scripts stands for none of them",
    files: [
      script("~/1.js", { debugIds: ["a", "lib"] }),
      script("~/2.js", { debugIds: ["b", "lib", "c", "d"] }),
      map("~/1.map", "a"),
      map("~/2.map", "b"),
    ],
    pairs: [
      ["~/1.js", "~/1.map", "a"],
      ["~/2.js", "~/2.map", "b", "c", "d"],
    ],
    warnings: [
      /two debug ids: a, lib/,
      /4 debug ids: b, lib, c and 1 more\. Inject them with one tool; published libraries/,
    ],
  },
  {
    claim: "two scripts of one id are a warning, and the first has it",
    files: [
      script("~/1.js", { debugIds: ["a"] }),
      script("~/2.js", { debugIds: ["a"], sourceMapUrl: "2.map" }),
      map("~/1.map", "a"),
    ],
    pairs: [
      ["~/1.js", "~/1.map", "a"],
      ["~/2.js", "~/1.map"],
    ],
    warnings: [/^"~\/1.js" and "~\/2.js" have the same debug id a: .*inject ids once\.$/],
  },
  {
    claim: "a script whose map is missing is a warning",
    files: [script("~/1.js", { sourceMapUrl: "1.js.map" }), script("~/2.js", { debugIds: ["a"] })],
    sourceOnly: ["~/1.js", "~/2.js"],
    warnings: [
      /^"~\/1.js" names the map "1.js.map", which is not in the bundle\. Upload both together\.$/,
      /^"~\/2.js" has a debug id, but no map in the bundle has it/,
    ],
  },
  { claim: "a script that needs no map is no warning", files: [script("~/1.js")], sourceOnly: ["~/1.js"] },
  {
    claim: "sources and bundles of React Native are left out",
    files: [file("source", "~/1.ts", { debugIds: ["a"] }), file("indexed_ram_bundle", "~/x")],
  },
  {
    claim: "warnings of one kind are counted from the eleventh on",
    files: Array.from({ length: 13 }, (_, i) => map(`~/${i}.map`)),
    mapOnly: Array.from({ length: 13 }, (_, i) => `~/${i}.map`),
    warnings: [...Array.from({ length: 10 }, () => /belongs to no script/), /^The same applies to 3 more files\.$/],
  },
];

for (const { claim, files, pairs = [], sourceOnly = [], mapOnly = [], warnings = [] } of cases) {
  test(claim, () => {
    const found = pairFiles(files);
    assert.equal(
      found.pairs.map((pair) => [pair.minified.url, pair.map === "inline" ? "inline" : pair.map.url, ...pair.debugIds]),
      pairs,
    );
    const urls = (some: readonly PairFile[]) => some.map(({ url }) => url);
    assert.equal([urls(found.sourceOnly), urls(found.mapOnly)], [sourceOnly, mapOnly]);
    assert.is(found.warnings.length, warnings.length, found.warnings.join("\n"));
    for (const [i, warning] of warnings.entries()) assert.match(found.warnings[i] ?? "", warning);
  });
}

const addresses: [reference: string, script: string, address: string][] = [
  ["app.js.map", "~/app.js", "~/app.js.map"],
  ["app.js.map", "~/js/app.js?v=/2", "~/js/app.js.map"],
  ["./maps/app.js.map", "~/js/app.js", "~/js/maps/app.js.map"],
  ["../maps/app.js.map", "~/js/app.js", "~/maps/app.js.map"],
  ["../../../app.js.map", "~/js/app.js", "~/app.js.map"],
  ["/maps/app.js.map", "~/js/app.js", "~/maps/app.js.map"],
  ["~/maps/app.js.map", "https://example.com/app.js", "~/maps/app.js.map"],
  ["app.js.map", "https://example.com/js/app.js", "https://example.com/js/app.js.map"],
  ["app.js.map", "https://example.com/js/app.js", "~/js/app.js.map"],
  ["/app.js.map", "https://example.com:8443/js/app.js", "https://example.com:8443/app.js.map"],
  ["//cdn.example.com/app.js.map", "https://example.com/app.js", "https://cdn.example.com/app.js.map"],
  ["https://cdn.example.com/app.js.map", "~/app.js", "~/app.js.map"],
  ["app.js.map?v=2#x", "~/app.js", "~/app.js.map?v=2"],
  ["app.js.map?v=2#x", "~/app.js", "~/app.js.map"],
  ["my%20app.js.map", "~/my app.js", "~/my app.js.map"],
  ["100%.js.map", "~/100%.js", "~/100%.js.map"],
  ["main.jsbundle.map", "app:///main.jsbundle", "app:///main.jsbundle.map"],
  ["app.js.map", "app.js", "app.js.map"],
  ["app.js.map", "C:\\build\\app.js", "app.js.map"],
];
for (const [reference, scriptUrl, address] of addresses) {
  test(`${reference} in ${scriptUrl} may be ${address}`, () =>
    assert.ok(mapAddresses(reference, scriptUrl).includes(address), mapAddresses(reference, scriptUrl).join(" ")));
}

const unusable: [claim: string, files: readonly PairFile[], release: string | undefined, why: RegExp | undefined][] = [
  ["no file at all is useless", [], "1", /no minified script and no source map. Build with source maps/],
  ["sources alone are useless", [file("source", "~/1.ts")], "1", /no minified script/],
  ["files without ids and release are useless", [script("~/1.js"), map("~/1.map")], undefined, /neither debug ids nor/],
  ["files with a release are useful", [script("~/1.js")], "1", undefined],
  ["a map with an id is useful, as its script may come later", [map("~/1.map", "a")], undefined, undefined],
];
for (const [claim, files, release, why] of unusable) {
  test(claim, () => {
    const sentence = whyUnusable(files, release);
    if (why === undefined) assert.is(sentence, undefined);
    else assert.match(sentence ?? "", why);
  });
}

test.run();
