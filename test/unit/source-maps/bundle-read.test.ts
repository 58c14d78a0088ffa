import { suite } from "uvu";
import * as assert from "uvu/assert";
import { readBundle, type BundleFile } from "../../../plugins/source-maps/src/bundle/read-bundle.ts";
import { bundleOf, zipOf, type TestEntry } from "../../support/source-maps/bundle-zip.ts";

const test = suite("reading bundles");

const app: TestEntry = { name: "_/_/app.js", content: "console.log(1)" };
const id = "8a1b0c3d-1111-4222-8333-944445555666";

async function filesOf(zip: Parameters<typeof readBundle>[0]): Promise<BundleFile[]> {
  const files: BundleFile[] = [];
  for await (const file of (await readBundle(zip)).files()) files.push(file);
  return files;
}

test("a bundle has a release, a dist, an id, and files with their URLs, types, headers and contents", async () => {
  const map = { name: "_/_/app.js.map", content: '{"version":3}', method: 0 };
  const zip = bundleOf([app, map], {
    release: "web@1.0",
    dist: "7",
    debug_id: id.replaceAll("-", "").toUpperCase(),
    ignored: true,
    files: {
      [app.name]: { url: "~/app.js", type: "minified_source", headers: { "Debug-Id": id, sourcemap: "app.js.map" } },
      [map.name]: { url: "~/app.js.map", type: "source_map", headers: {}, more: [] },
    },
  });
  const { release, dist, bundleId, list, warnings } = await readBundle(zip);
  assert.equal({ release, dist, bundleId, warnings }, { release: "web@1.0", dist: "7", bundleId: id, warnings: [] });
  assert.is(list.length, 2);
  assert.equal(await filesOf(zip), [
    {
      path: app.name,
      url: "~/app.js",
      type: "minified_source",
      headers: { debugId: id, sourceMap: "app.js.map" },
      content: Buffer.from(app.content),
    },
    { path: map.name, url: "~/app.js.map", type: "source_map", headers: {}, content: Buffer.from(map.content) },
  ]);
});

test("the zip may lack the 8 bytes in front of it, as from older clients", async () => {
  const [file] = await filesOf(bundleOf([app], {}, { start: Buffer.alloc(0) }));
  assert.is(file?.content.toString(), app.content);
});

test("a bundle may be read from parts, such as stored chunks", async () => {
  const zip = bundleOf([app]);
  const read = async (start: number, end: number) => Buffer.from(zip.subarray(start, end));
  const [file] = await filesOf({ size: zip.length, read });
  assert.is(file?.content.toString(), app.content);
});

const releases: [claim: string, release: unknown, expected: string | undefined][] = [
  ["a release named undefined is none", "undefined", undefined],
  ["an empty release is none", "", undefined],
  ["a release that is no text is none", 7, undefined],
  ["another release is one", "undefined-2", "undefined-2"],
];
for (const [claim, release, expected] of releases) {
  test(claim, async () => assert.is((await readBundle(bundleOf([app], { release }))).release, expected));
}

const headers: [claim: string, headers: object, expected: BundleFile["headers"]][] = [
  ["headers are read in any case", { "DEBUG-ID": id, SourceMap: "x.map" }, { debugId: id, sourceMap: "x.map" }],
  ["x-sourcemap is a header for the map", { "X-SourceMap": "x.map" }, { sourceMap: "x.map" }],
  ["sourcemap comes before x-sourcemap", { "x-sourcemap": "b", sourcemap: "a" }, { sourceMap: "a" }],
  ["other headers, and values that are no text, are ignored", { "content-type": "text/javascript", "debug-id": 7 }, {}],
  ["__proto__ is a header like others", JSON.parse('{"__proto__":{"debug-id":"x"}}') as object, {}],
];
for (const [claim, given, expected] of headers) {
  test(claim, async () => {
    const files = { [app.name]: { url: "~/app.js", type: "minified_source", headers: given } };
    assert.equal((await readBundle(bundleOf([app], { files }))).list[0]?.headers, expected);
  });
}

const names: [claim: string, name: string][] = [
  ["a name with ../ is a text like others", "../../etc/passwd"],
  ["a name of a drive is a text like others", "C:\\windows\\system.js"],
  ["an absolute name is a text like others", "/etc/passwd"],
  ["__proto__ is a name like others", "__proto__"],
  ["a name of Chinese letters is read, also without the flag for UTF-8", "_/_/文件.js"],
  ["a name of 4,096 characters is read", "x".repeat(4096)],
];
for (const [claim, name] of names) {
  test(claim, async () => {
    const listed = `{"files":{${JSON.stringify(name)}:{"url":"~/x.js","type":"source"}}}`;
    const [file] = await filesOf(
      zipOf([
        { name, content: "1" },
        { name: "manifest.json", content: listed },
      ]),
    );
    assert.is(file?.path, name);
    assert.is(file?.content.toString(), "1");
  });
}

test("a file without a URL has the URL of its path", async () => {
  const { list } = await readBundle(bundleOf([app], { files: { [app.name]: { type: "source" } } }));
  assert.is(list[0]?.url, "~/app.js");
});

test("files of other types are left out with a warning, entries that are not listed without", async () => {
  const others = ["a.wasm", "b.wasm"].map((name) => ({ name, content: "" }));
  const files = { "a.wasm": { url: "~/a.wasm", type: "wasm" }, "b.wasm": { url: "~/b.wasm" } };
  const { list, warnings } = await readBundle(bundleOf([...others, app], { files }));
  assert.equal(list, []);
  assert.equal(warnings, ['"a.wasm" and 1 more was left out because only scripts and source maps are read.']);
});

test("an empty bundle is read", async () => assert.equal(await filesOf(bundleOf([])), []));

test("a bundle with zip64 is read", async () => {
  const entries = [
    { ...app, isZip64: true },
    { name: "manifest.json", content: `{"files":{"${app.name}":{"type":"minified_source"}}}`, isZip64: true },
  ];
  const [file] = await filesOf(zipOf(entries, { isZip64: true }));
  assert.is(file?.content.toString(), app.content);
});

test("files are inflated on demand, so a damaged file ends the reading at its place", async () => {
  const bundle = await readBundle(bundleOf([app, { name: "b.js", content: "2", crc: 7 }]));
  const seen: string[] = [];
  await assertRejects(async () => {
    for await (const { path } of bundle.files()) seen.push(path);
  }, /"b.js" is damaged/);
  assert.equal(seen, [app.name]);
});

test("a bundle of 10,000 files is read whole", async () => {
  const many = Array.from({ length: 10_000 }, (_, i) => ({ name: `_/_/${i}.js`, content: `f(${i})` }));
  const zip = bundleOf(many);
  assert.is((await filesOf(zip)).length, 10_000);
});

async function assertRejects(run: () => Promise<unknown>, expected: RegExp): Promise<void> {
  const thrown = await run().then(
    () => undefined,
    (error: unknown) => error,
  );
  assert.instance(thrown, Error);
  assert.match(String(thrown), expected);
}

test.run();
