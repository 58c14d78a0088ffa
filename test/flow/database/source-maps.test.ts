import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { encode, type SourceMapMappings } from "@jridgewell/sourcemap-codec";
import { ArtifactBundleState, Role, SourceMapVerdict as Verdict, type Frame } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { refusedBecause } from "../../support/assert/refused-because.ts";
import { newMember, newPerson, type Person } from "../../support/core/person.ts";
import { createProject, type Project } from "../../support/core/project.ts";
import { execSql } from "../../support/database/other-process.ts";
import { rowsOf } from "../../support/database/stored-rows.ts";
import { http } from "../../support/http/http.ts";
import { newEventId, sendEvent } from "../../support/sentry/send.ts";
import { until } from "../../support/run/until.ts";
import { sharedServer } from "../../support/service/flow.ts";
import { bundleOf, zipOf } from "../../support/source-maps/bundle-zip.ts";
import { artifactBundle, builtCheckout } from "../../support/source-maps/built.ts";
import {
  assemble,
  putChunk,
  uploadBundle,
  uploadOptions,
  type Assembled,
  type Upload,
} from "../../support/source-maps/upload.ts";

const { server, client } = await sharedServer();
const debugId = randomUUID();
const built = await builtCheckout({ debugId });
const plain = await builtCheckout();
const recorded = join(import.meta.dirname, "../../fixtures/source-maps");
let project: Project;
let builder: Person;
let upload: Upload;

test.before.each(async () => {
  project = await createProject(server);
  builder = await newMember(client, project.id, Role.DEVELOPER, ["upload"]);
  upload = { token: builder.token, organization: "-", projects: [project.path] };
});

/** Asserts that an object has these values. */
function assertHas<T extends object>(actual: T | undefined, expected: Partial<T>): void {
  const names = Object.keys(expected) as (keyof T)[]; // of a literal
  assert.equal(Object.fromEntries(names.map((name) => [name, actual?.[name]])), expected);
}

interface Sent {
  readonly release?: string;
  readonly dist?: string;
  readonly debugId?: string;
  readonly frame?: Readonly<Record<string, unknown>>;
  readonly sdk?: { readonly name: string; readonly version: string };
}

const address = "https://shop.example.com/assets/app.js";

/** Sends an event of the minified file and reads its frame as it is shown. */
async function shownFrame({ debugId: id, frame, ...event }: Sent): Promise<Frame> {
  const eventId = newEventId();
  const answer = await sendEvent(server, project, {
    event_id: eventId,
    platform: "javascript",
    ...event,
    ...(id !== undefined && { debug_meta: { images: [{ type: "sourcemap", code_file: address, debug_id: id }] } }),
    exception: {
      values: [
        {
          type: "Error",
          value: "negative total",
          stacktrace: {
            frames: [
              { function: "t", filename: address, abs_path: address, in_app: true, ...built.thrownAt, ...frame },
            ],
          },
        },
      ],
    },
  });
  assert.is(answer.status, 200, answer.text);
  return readFrame(eventId);
}

async function readFrame(eventId: string): Promise<Frame> {
  const { event } = await client.errors.getEvent({ projectId: project.id, eventId }, client.auth);
  const shown = event?.exceptions[0]?.frames[0];
  assert.ok(shown);
  return shown as Frame; // asserted above
}

const mapped = {
  filename: "src/checkout.ts",
  function: "totalOf",
  lineno: 3,
  contextLine: '  if (sum < 0) throw new Error("negative total");',
  inApp: true,
};

test("a frame of a file with a debug id is shown as its source, next to the frame as it was sent", async () => {
  assertHas(await uploadBundle(server, artifactBundle(built, debugId), upload), { state: "ok", detail: null });
  const frame = await shownFrame({ debugId });
  assertHas(frame, mapped);
  assert.equal(frame.preContext.length, 2);
  assert.is(frame.sourceMapping?.verdict, Verdict.MAPPED);
  assertHas(frame.sourceMapping?.minified, { absPath: address, function: "t", ...built.thrownAt });
});

test("each of 40 small files is mapped by its own map, though some share a source and one map is broken", async () => {
  const names = Array.from({ length: 40 }, (_, n) => `assets/${n}.js`);
  const sourceOf = (n: number) => (n % 5 === 0 ? "shared();" : `own(${n});`);
  const entries = names.flatMap((name, n) => [
    { name, content: `a(${n})` },
    { name: `${name}.map`, content: JSON.stringify(mapOf(n, sourceOf(n))) },
  ]);
  const files = Object.fromEntries(
    names.flatMap((name, n) => [
      [name, { url: `~/${name}`, type: "minified_source", headers: { sourcemap: `${n}.js.map` } }],
      [`${name}.map`, { url: `~/${name}.map`, type: "source_map" }],
    ]),
  );
  const bundle = bundleOf(entries, { files });
  assertHas(await uploadBundle(server, bundle, { ...upload, version: "small@1" }), { state: "ok" });
  for (const n of [0, 5, 14, 15, 16, 17, 31, 32, 39]) {
    const place = `https://shop.example.com/assets/${n}.js`;
    const frame = await shownFrame({
      release: "small@1",
      frame: { filename: place, abs_path: place, lineno: 1, colno: 1 },
    });
    assertHas(frame, { filename: `src/${n}.ts`, contextLine: sourceOf(n) });
  }
  const place = `https://shop.example.com/assets/${brokenOne}.js`;
  const frame = await shownFrame({
    release: "small@1",
    frame: { filename: place, abs_path: place, lineno: 1, colno: 1 },
  });
  assert.is(frame.sourceMapping?.verdict, Verdict.MAP_REFUSED);
});

const brokenOne = 20;

const mapOf = (n: number, source: string) => ({
  version: 3,
  sources: [`src/${n}.ts`],
  sourcesContent: [source],
  names: [],
  mappings: n === brokenOne ? "!" : "AAAA",
});

/** Uploads files for a release: each with its type, and with nothing else in the manifest but the headers of all. */
async function uploadFiles(
  version: string,
  entries: readonly (readonly [name: string, type: string, content: string])[],
  headers: Readonly<Record<string, string>> = {},
) {
  const files = Object.fromEntries(entries.map(([name, type]) => [name, { url: `~/${name}`, type, headers }]));
  const zip = bundleOf(
    entries.map(([name, , content]) => ({ name, content })),
    { files },
  );
  assertHas(await uploadBundle(server, zip, { ...upload, version }), { state: "ok" });
}

const frameOf = (release: string, name: string, lineno: number, colno: number) => {
  const place = `https://shop.example.com/${name}`;
  return shownFrame({ release, frame: { function: "n", filename: place, abs_path: place, lineno, colno } });
};

test("UglifyJS 2 names a function one column before it, and the frame has that name", async () => {
  const name = "uglify-js-2.8.29.js";
  const [code, map] = [name, `${name}.map`].map((file) => readFileSync(join(recorded, file), "utf8"));
  await uploadFiles("uglify@1", [
    [name, "minified_source", code ?? ""],
    [`${name}.map`, "source_map", map ?? ""],
  ]);
  const at = (code?.indexOf("new Error") ?? 0) + 1;
  assertHas(await frameOf("uglify@1", name, 1, at), { function: "throwsDeep", filename: "app.js", lineno: 3 });
});

test("the map of Hermes names the functions of its bytecode", async () => {
  const files = [
    ["index.android.bundle", "minified_source", ""],
    ["index.android.bundle.map", "source_map", readFileSync(join(recorded, "hermes.map"), "utf8")],
  ] as const;
  await uploadFiles("native@1", files, { "debug-id": randomUUID() });
  const named = async (offset: number) => {
    const frame = await frameOf("native@1", "index.android.bundle", 1, offset + 1);
    return [frame.function, frame.filename, frame.lineno];
  };
  assert.equal(await named(97), ["items.reduce$argument_0", "total.js", 3]);
  assert.equal(await named(34), ["totalOf", "total.js", 2]);
  assert.equal(await named(0), ["onPress", "App.js", 5]);
});

test("dart2js: a script that sentry-cli calls a source, names at closing braces, and sources next to the map", async () => {
  const code = [
    "(function dartProgram(){var A={",
    'ky(a){throw A.d("no price")},',
    '$async$$0(){throw A.d("later")}}',
    "A.ky(1)})()",
    "//# sourceMappingURL=main.dart.js.map\n",
  ];
  // Line and column of the code, line of lib/main.dart from 0, and the name there, in dart2js's form.
  const segments: SourceMapMappings = [
    [],
    [
      [6, 0, 1, 2],
      [27, 0, 2, 0, 0],
    ],
    [
      [12, 0, 5, 2, 1],
      [30, 0, 6, 0],
    ],
  ];
  const map = {
    version: 3,
    sources: ["../../lib/main.dart"],
    names: ["totalOf", "MainApp.build.<anonymous function>"],
    mappings: encode(segments),
  };
  const source = "\ntotalOf(items) {\n  throw StateError('no price');\n}\n\n  throw StateError('later');\n";
  await uploadFiles("dart@1", [
    ["main.dart.js", "source", code.join("\n")],
    ["main.dart.js.map", "source_map", JSON.stringify(map)],
    ["lib/main.dart", "source", source],
  ]);
  assertHas(await frameOf("dart@1", "main.dart.js", 2, 8), {
    function: "totalOf",
    filename: "lib/main.dart",
    lineno: 2,
    contextLine: "totalOf(items) {",
  });
  assertHas(await frameOf("dart@1", "main.dart.js", 3, 13), {
    function: "MainApp.build.<anonymous function>",
    lineno: 6,
    contextLine: "  throw StateError('later');",
  });
});

/** A source of 66 slices of 64 KiB, and a script with a call in each of them. */
const farApart = () => {
  const lines = Array.from({ length: 66 * 64 }, (_, n) => `${n + 1};`.padEnd(1_023, "x"));
  const segments = Array.from({ length: 66 }, (_, n) => [2 * n, 0, 64 * n + 31, 0] as [number, number, number, number]);
  const sourcesContent = [`${lines.join("\n")}\n`];
  const map = { version: 3, sources: ["vendor.ts"], sourcesContent, names: [], mappings: encode([segments]) };
  const headers = { "debug-id": debugId };
  const files = {
    "app.js": { url: address, type: "minified_source", headers: { ...headers, sourcemap: "app.js.map" } },
    "app.js.map": { url: `${address}.map`, type: "source_map", headers },
  };
  const entries = [
    { name: "app.js", content: "f;".repeat(66) },
    { name: "app.js.map", content: JSON.stringify(map), method: 0 },
  ];
  return bundleOf(entries, { files });
};

test("if the calls of an event need more than 4 MiB of source, the newest show their lines and the others say why they do not", async () => {
  assertHas(await uploadBundle(server, farApart(), upload), { state: "ok" });
  const blobs = `blob_id in (select id from source_blob where project_id = ${project.id})`;
  const indexes = () => rowsOf(server.dataDir, `select places from source_blob_lines where ${blobs}`);
  const [ofUpload] = await indexes();
  await execSql(server.dataDir, `delete from source_blob_lines where ${blobs}`); // as for an upload of an earlier release
  const frames = Array.from({ length: 66 }, (_, n) => ({
    function: "f",
    filename: address,
    abs_path: address,
    lineno: 1,
    colno: 2 * n + 1,
  }));
  const eventId = newEventId();
  const answer = await sendEvent(server, project, {
    event_id: eventId,
    platform: "javascript",
    debug_meta: { images: [{ type: "sourcemap", code_file: address, debug_id: debugId }] },
    exception: { values: [{ type: "Error", value: "far apart", stacktrace: { frames } }] },
  });
  assert.is(answer.status, 200, answer.text);
  for (const time of ["first", "second"]) {
    const { event } = await client.errors.getEvent({ projectId: project.id, eventId }, client.auth);
    const shown = event?.exceptions[0]?.frames ?? [];
    assert.equal(
      shown.map(({ lineno, contextLine, sourceMapping }) => [
        lineno,
        Number.parseInt(contextLine),
        sourceMapping?.verdict,
      ]),
      frames.map((_, n) =>
        n < 2 ? [64 * n + 32, NaN, Verdict.MAPPED_WITHOUT_SOURCE] : [64 * n + 32, 64 * n + 32, Verdict.MAPPED],
      ),
      `the ${time} time`,
    );
    assert.match(shown[0]?.sourceMapping?.cause ?? "", /more than 4 MiB of source text/);
  }
  const [made] = await until("the index is stored", async () => ((await indexes()).length > 0 ? indexes() : undefined));
  assert.equal(made, ofUpload);
});

test("a file without a debug id is found by release, distribution and address", async () => {
  const release = { version: "shop@1.2.0", dist: "web" };
  assertHas(await uploadBundle(server, artifactBundle(plain), { ...upload, ...release }), { state: "ok" });
  assertHas(await shownFrame({ release: "shop@1.2.0", dist: "web", frame: plain.thrownAt }), mapped);
});

test("an upload also serves the events that came before it, until it is deleted", async () => {
  const before = await shownFrame({ debugId });
  assert.is(before.sourceMapping?.verdict, Verdict.NOTHING_UPLOADED);
  await uploadBundle(server, artifactBundle(built, debugId), upload);
  const { artifactBundles } = await client.sourceMaps.listArtifactBundles({ projectId: project.id }, client.auth);
  assert.equal(
    artifactBundles.map(({ mappedFileCount, fileCount, createdBy }) => [mappedFileCount, fileCount, createdBy]),
    [[1, 2, builder.username]],
  );
  assertHas(await shownFrame({ debugId }), mapped);
  await client.sourceMaps.deleteArtifactBundle(
    { projectId: project.id, bundleId: artifactBundles[0]?.bundleId ?? 0 },
    client.auth,
  );
  assert.is((await shownFrame({ debugId })).sourceMapping?.verdict, Verdict.NOTHING_UPLOADED);
});

test("a minified frame says that nothing was ever uploaded, and what to do; a frame that may be as it was written says nothing", async () => {
  const release = "shop@1.2.0";
  for (const frame of [
    { lineno: 1, colno: 51_987 },
    { lineno: 1, colno: 7, context_line: "x".repeat(1_200) },
    { lineno: 1, colno: 7, abs_path: "https://cdn.example.com/jquery.min.js?v=3" },
  ]) {
    const { sourceMapping } = await shownFrame({ release, frame });
    assertHas(sourceMapping, {
      verdict: Verdict.NOTHING_UPLOADED,
      nextStep: "Upload the files of this build with their maps, with --release shop@1.2.0.",
    });
  }
  const written = { lineno: 120, colno: 17, context_line: "  charge(card);" };
  assert.is((await shownFrame({ release, frame: written })).sourceMapping, undefined);
});

test("a frame that shows no source says why", async () => {
  await uploadBundle(server, artifactBundle(built, debugId), upload);
  await uploadBundle(server, artifactBundle(plain), { ...upload, version: "shop@2.0.0", dist: "web" });
  const rows: [sent: Sent, verdict: Verdict][] = [
    [{ debugId: randomUUID() }, Verdict.ID_UNKNOWN],
    [{}, Verdict.NOT_INJECTED],
    [{ sdk: { name: "sentry.javascript.browser", version: "7.38.0" } }, Verdict.SDK_TOO_OLD],
    [{ release: "shop@9.9.9" }, Verdict.RELEASE_UNKNOWN],
    [{ release: "undefined" }, Verdict.RELEASE_UNKNOWN],
    [{ release: "shop@2.0.0" }, Verdict.WRONG_DIST],
    [
      { release: "shop@2.0.0", dist: "web", frame: { abs_path: "https://shop.example.com/other/app.js" } },
      Verdict.URL_MISMATCH,
    ],
    [{ debugId, frame: { colno: 0 } }, Verdict.NO_COLUMN],
    [{ debugId, frame: { lineno: 0 } }, Verdict.INVALID_LOCATION],
    [{ debugId, frame: { lineno: 900 } }, Verdict.POSITION_OUTSIDE],
    [{ frame: { abs_path: "<eval>", filename: "<eval>" } }, Verdict.INVALID_ABS_PATH],
    [{ frame: { abs_path: "/app/src/checkout.ts", filename: "src/checkout.ts" } }, Verdict.ALREADY_MAPPED],
  ];
  for (const [sent, verdict] of rows) {
    const { sourceMapping, lineno } = await shownFrame(sent);
    assert.is(sourceMapping?.verdict, verdict, JSON.stringify(sent));
    assert.match(sourceMapping?.cause ?? "", /^.*\.$/);
    assert.is(lineno, sent.frame?.["lineno"] ?? built.thrownAt.lineno, "the frame is as it was sent");
  }
  assert.is(
    (await shownFrame({ frame: { abs_path: "<anonymous>", filename: "<anonymous>" } })).sourceMapping,
    undefined,
  );
});

test("the coverage of a release says of each file how many frames are mapped, and why the others are not", async () => {
  await uploadBundle(server, artifactBundle(built, debugId), upload);
  await shownFrame({ debugId, release: "shop@1.2.0" });
  await shownFrame({ debugId, release: "shop@1.2.0", frame: { colno: 0, function: "u" } });
  await shownFrame({ debugId, release: "shop@1.3.0", frame: { lineno: 900, function: "v" } });
  const coverage = async (release: string) =>
    client.sourceMaps.getSourceCoverage({ projectId: project.id, release }, client.auth);
  const { eventCount, files } = await coverage("shop@1.2.0");
  assert.is(eventCount, 2);
  assert.is(files.length, 1);
  assertHas(files[0], { url: address, frameCount: 2, mappedFrameCount: 1, verdict: Verdict.NO_COLUMN });
  assert.is((await coverage("shop@1.3.0")).files[0]?.verdict, Verdict.POSITION_OUTSIDE);
  assert.is((await coverage("shop@9.9.9")).eventCount, 0);
  assert.is((await coverage("")).files[0]?.frameCount, 3);
});

test("after an upload that could not be used, frames say why", async () => {
  await uploadBundle(server, artifactBundle(plain), upload);
  const { sourceMapping } = await shownFrame({ debugId });
  assert.is(sourceMapping?.verdict, Verdict.BUNDLE_ERROR);
  assert.match(sourceMapping?.cause ?? "", /neither debug ids nor a release/);
});

test("a map that was refused in a group says so, with its reason", async () => {
  const [whole, broken] = [built, { ...built, map: '{"version":2}' }];
  const other = { url: "~/assets/old.js", map: "~/assets/old.js.map" };
  const file = (url: string, content: string, type: string, sourcemap?: string) => ({
    entry: { name: `files/_/_/${url.slice(2)}`, content },
    of: { url, type, headers: sourcemap === undefined ? {} : { sourcemap } },
  });
  const all = [
    file("~/assets/app.js", whole.code, "minified_source", "app.js.map"),
    file("~/assets/app.js.map", whole.map, "source_map"),
    file(other.url, plain.code, "minified_source", "old.js.map"),
    file(other.map, broken.map, "source_map"),
  ];
  const manifest = { files: Object.fromEntries(all.map(({ entry, of }) => [entry.name, of])) };
  const entries = [...all.map(({ entry }) => entry), { name: "manifest.json", content: JSON.stringify(manifest) }];
  assertHas(await uploadBundle(server, zipOf(entries), { ...upload, version: "shop@3.0.0" }), { state: "ok" });
  const absPath = "https://shop.example.com/assets/old.js";
  const { sourceMapping } = await shownFrame({
    release: "shop@3.0.0",
    frame: { ...plain.thrownAt, filename: absPath, abs_path: absPath },
  });
  assert.is(sourceMapping?.verdict, Verdict.MAP_REFUSED);
  assert.match(sourceMapping?.cause ?? "", /old\.js was uploaded and could not be used\. .*version is 2/);
});

test("half of a pair is said to be half", async () => {
  await uploadBundle(server, artifactBundle({ code: built.code }, debugId), upload);
  assert.is((await shownFrame({ debugId })).sourceMapping?.verdict, Verdict.SOURCE_ONLY);
});

test("unusable uploads are refused in words, and end in the list of uploads with their cause", async () => {
  const nothing = await uploadBundle(server, artifactBundle(plain), upload);
  assert.is(nothing.state, "error");
  assert.match(nothing.detail ?? "", /debug id.*release/s);
  const broken = await uploadBundle(server, Buffer.from("no zip at all"), upload);
  assert.is(broken.state, "error");
  assert.match(broken.detail ?? "", /not an artifact bundle/);
  const ofPlugin = readFileSync(join(recorded, "vite-plugin-11.9.0.zip"));
  const cutOff = await uploadBundle(server, ofPlugin.subarray(0, -100), upload);
  assert.is(cutOff.state, "error");
  const { artifactBundles } = await client.sourceMaps.listArtifactBundles({ projectId: project.id }, client.auth);
  assert.equal(
    artifactBundles.map(({ state, detail, createdBy }) => [state, detail, createdBy]),
    [cutOff, broken, nothing].map(({ detail }) => [ArtifactBundleState.ERROR, detail, builder.username]),
  );
});

test("uploading files of a release one by one, as in sentry-cli 2, is refused with the command to use", async () => {
  for (const [tail, method, token, status] of [
    ["files/", "GET", upload.token, 410],
    ["files/", "POST", upload.token, 410],
    ["assemble/", "POST", upload.token, 410],
    ["files/", "GET", "wrong", 401],
  ] as const) {
    const url = `${server.url}/api/0/projects/-/${project.path}/releases/web@1.0.0/${tail}`;
    const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
    const answer = await http(url, { method, headers, ...(method === "POST" && { body: "{}" }) });
    assert.is(answer.status, status, answer.text);
    if (status === 410) assert.match(answer.text, /sentry-cli sourcemaps upload/);
  }
});

for (const file of readdirSync(recorded).filter((name) => name.endsWith(".zip"))) {
  test(`the upload of ${file.replace(".zip", "")} is read, with a map for each of its files`, async () => {
    const bundle = readFileSync(join(recorded, file));
    const release = file.includes("release") ? { version: "web@1.0.0" } : {};
    assertHas(await uploadBundle(server, bundle, { ...upload, ...release }), { state: "ok", detail: null });
    const { artifactBundles } = await client.sourceMaps.listArtifactBundles({ projectId: project.id }, client.auth);
    const [{ mappedFileCount = 0, warnings = [] } = {}] = artifactBundles;
    assert.ok(mappedFileCount > 0);
    assert.equal(warnings, []);
  });
}

test("the same bundle again needs no chunk and is one upload", async () => {
  const bundle = artifactBundle(built, debugId);
  await uploadBundle(server, bundle, upload);
  const again = await assemble(server, bundle, [bundle], upload);
  assertHas(again.json as Assembled, { state: "ok", missingChunks: [] });
  const { artifactBundles } = await client.sourceMaps.listArtifactBundles({ projectId: project.id }, client.auth);
  assert.is(artifactBundles.length, 1);
});

test("a chunk under a wrong SHA-1 is refused, and chunks of another user are not found", async () => {
  const bundle = artifactBundle(built, debugId);
  const wrong = await putChunk(server, bundle, upload, "0".repeat(40));
  assert.is(wrong.status, 400, wrong.text);
  await putChunk(server, bundle, upload);
  const other = await newMember(client, project.id, Role.DEVELOPER, ["upload"]);
  const answer = await assemble(server, bundle, [bundle], { ...upload, token: other.token });
  assertHas(answer.json as Assembled, { state: "not_found" });
});

test("another project's upload maps nothing here", async () => {
  const elsewhere = await createProject(server);
  await client.members.addMember(
    { projectId: elsewhere.id, userId: builder.userId, role: Role.DEVELOPER },
    client.auth,
  );
  const result = await uploadBundle(server, artifactBundle(built, debugId), { ...upload, projects: [elsewhere.path] });
  assert.is(result.state, "ok");
  assert.is((await shownFrame({ debugId })).sourceMapping?.verdict, Verdict.NOTHING_UPLOADED);
});

test("a token of the scope upload uploads and reads nothing; without a role or with another scope nothing is uploaded", async () => {
  await refusedBecause("INSUFFICIENT_SCOPE", client.projects.listProjects({}, builder));
  await refusedBecause("INSUFFICIENT_SCOPE", client.sourceMaps.listArtifactBundles({ projectId: project.id }, builder));
  const bundle = artifactBundle(built, debugId);
  const stranger = await newPerson(client, { scopes: ["upload"] });
  await putChunk(server, bundle, { ...upload, token: stranger.token });
  assert.is((await assemble(server, bundle, [bundle], { ...upload, token: stranger.token })).status, 404);
  const reporter = await newMember(client, project.id, Role.REPORTER, ["upload"]);
  await putChunk(server, bundle, { ...upload, token: reporter.token });
  assert.is((await assemble(server, bundle, [bundle], { ...upload, token: reporter.token })).status, 403);
  const reader = await newMember(client, project.id, Role.DEVELOPER, ["read_api"]);
  assert.is((await uploadOptions(server, { ...upload, token: reader.token })).status, 403);
  assert.is((await uploadOptions(server, { ...upload, token: "wrong" })).status, 401);
});

test.run();
