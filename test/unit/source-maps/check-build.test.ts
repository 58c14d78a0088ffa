import { randomUUID } from "node:crypto";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  checkBuild,
  type FileCheck,
  filesOf,
  isUploaded,
  type BuildFolder,
  writeBundle,
} from "../../../plugins/source-maps/src/build.ts";
import { readBundle } from "../../../plugins/source-maps/src/bundle/read-bundle.ts";
import { builtCheckout } from "../../support/source-maps/built.ts";

const build = suite("builds before their upload");

const folderOf = (files: Readonly<Record<string, string>>): BuildFolder => ({
  paths: Object.keys(files),
  read: (path) => Promise.resolve(Buffer.from(files[path] ?? "")),
});

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

const debugId = randomUUID();
const other = randomUUID();
const injected = await builtCheckout({ debugId });
const plain = await builtCheckout();
const withoutReference = plain.code.replace(/\/\/# sourceMappingURL.*\n/, "");
const snippet = `!function(){try{var e=self,n=(new e.Error).stack;n&&(e._sentryDebugIds=e._sentryDebugIds||{},e._sentryDebugIds[n]="${other}")}catch(e){}}();`;
const changed = (map: string, change: object) => JSON.stringify({ ...(JSON.parse(map) as object), ...change });

interface Case {
  readonly what: string;
  readonly files: Readonly<Record<string, string>>;
  readonly release?: string;
  readonly path?: string;
  readonly verdict: FileCheck["verdict"];
  readonly because: RegExp;
  readonly warning?: RegExp;
}

const cases: Case[] = [
  {
    what: "files with a debug id will match",
    files: { "app.js": injected.code, "app.js.map": injected.map },
    verdict: "will_match",
    because: /debug id/,
  },
  {
    what: "files without an id will not match without a release",
    files: { "app.js": plain.code, "app.js.map": plain.map },
    verdict: "will_not_match",
    because: /no debug id, and no release is named.*sourcemaps inject/,
  },
  {
    what: "with a release they match by their address",
    files: { "app.js": plain.code, "app.js.map": plain.map },
    release: "shop@1.2.3",
    verdict: "will_match",
    because: /release shop@1\.2\.3 find it as ~\/static\/app\.js.*--url-prefix/,
  },
  {
    what: "a hidden map beside its script belongs to it",
    files: { "app.js": withoutReference, "app.js.map": plain.map },
    release: "shop@1.2.3",
    verdict: "will_match",
    because: /find it as/,
  },
  {
    what: "a script whose map is missing will not match",
    files: { "app.js": plain.code },
    verdict: "will_not_match",
    because: /names the map "app\.js\.map", which is not in the bundle/,
  },
  {
    what: "a map whose script is missing will not match",
    files: { "app.js.map": plain.map },
    path: "app.js.map",
    verdict: "will_not_match",
    because: /belongs to no script/,
  },
  {
    what: "a script of its own needs no map",
    files: { "app.js": "self.skipWaiting();\n" },
    verdict: "needs_no_map",
    because: /names no map/,
  },
  {
    what: "two tools that inject ids are warned of, and their files match",
    files: { "app.js": `${snippet}${injected.code}`, "app.js.map": injected.map },
    verdict: "will_match",
    because: /debug id/,
    warning: /has two debug ids.*Remove one of the two tools/,
  },
  {
    what: "of two scripts with one id the second will not match",
    files: {
      "a.js": injected.code.replace("app.js.map", "a.js.map"),
      "a.js.map": injected.map,
      "app.js": injected.code,
      "app.js.map": injected.map,
    },
    verdict: "will_not_match",
    because: /have the same debug id/,
  },
  {
    what: "a map without the text of its sources matches, with a warning",
    files: { "app.js": injected.code, "app.js.map": changed(injected.map, { sourcesContent: null }) },
    verdict: "will_match",
    because: /debug id/,
    warning: /lacks the text of 1 of 1 sources.*sourcesContent/,
  },
  {
    what: "a damaged map will not match",
    files: { "app.js": injected.code, "app.js.map": changed(injected.map, { version: 2 }) },
    verdict: "will_not_match",
    because: /damaged: its version is 2/,
  },
];

for (const { what, files, release, path = "app.js", verdict, because, warning } of cases) {
  build(what, async () => {
    const checks = await checkBuild(folderOf(files), { release, urlPrefix: "~/static/" });
    const check = checks.find((one) => one.path === path);
    assert.is(check?.verdict, verdict, JSON.stringify(checks));
    assert.match(check?.because ?? "", because);
    assert.match(check?.warnings.join("\n") ?? "", warning ?? /^$/);
  });
}

build("a bundle of a build is read as it was written, and the same each time", async () => {
  const files = { "a/app.js": withoutReference, "a/app.js.map": plain.map, "über.js": "" };
  const written = async () => Buffer.concat(await all(writeBundle(filesOf(folderOf(files), { urlPrefix: "~" }))));
  const bundle = await readBundle(await written());
  const read = await all(bundle.files());
  assert.equal(
    read.map(({ url, type, headers, content }) => [url, type, headers, content.toString()]),
    [
      ["~/a/app.js", "minified_source", { sourceMap: "app.js.map" }, withoutReference],
      ["~/a/app.js.map", "source_map", {}, plain.map],
      ["~/über.js", "minified_source", {}, ""],
    ],
  );
  assert.equal(await written(), await written());
});

build("scripts and their maps are uploaded, and nothing else", () => {
  const names = [
    "a.js",
    "a.mjs",
    "a.cjs",
    "a.js.map",
    "main.jsbundle",
    "index.android.bundle",
    "a.css.map",
    "a.css",
    "a.ts",
  ];
  assert.equal(names.filter(isUploaded), names.slice(0, 6));
});

build.run();
