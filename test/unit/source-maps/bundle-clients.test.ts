import { readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { identifiersOf } from "../../../plugins/source-maps/src/bundle/debug-ids.ts";
import { type PairFile, pairFiles, whyUnusable } from "../../../plugins/source-maps/src/bundle/pairs.ts";
import { readBundle } from "../../../plugins/source-maps/src/bundle/read-bundle.ts";
import { readChunks } from "../../../plugins/source-maps/src/sentry/multipart.ts";

const test = suite("uploads of real clients");

const recorded = (name: string) => readFileSync(join(import.meta.dirname, "../../fixtures/source-maps", name));

interface Upload {
  readonly client: string;
  readonly release?: string;
  readonly dist?: string;
  readonly hasBundleId: boolean;
  readonly ids: readonly string[];
}

const uploads: readonly Upload[] = [
  { client: "sentry-cli-2.58.6-release", release: "web@1.0.0", hasBundleId: true, ids: [] },
  { client: "sentry-cli-2.58.6-debug-ids", hasBundleId: true, ids: ["ba64eeab-1a5f-59f3-a10f-a13c34984257"] },
  { client: "sentry-cli-3.8.0-release", release: "web@1.0.0", hasBundleId: true, ids: [] },
  { client: "sentry-cli-3.8.0-debug-ids", hasBundleId: true, ids: ["cc99e0ef-d715-53f3-9c72-7be10ac52606"] },
  { client: "sentry-0.49.0-release", release: "web@1.0.0", dist: "7", hasBundleId: false, ids: [] },
  { client: "sentry-0.49.0-debug-ids", hasBundleId: false, ids: ["e5e22a3d-7f23-4b48-9a44-1e4755fc345d"] },
  { client: "vite-plugin-5.4.1", hasBundleId: true, ids: ["3bd05787-e6b0-4076-8997-66b888fcf02f"] },
  { client: "rollup-plugin-5.4.0", hasBundleId: true, ids: ["b92772f2-5d14-440c-b50f-31ede08fcc95"] },
  { client: "esbuild-plugin-5.4.0", hasBundleId: true, ids: ["a41f786c-6f90-4843-9e6c-9e9cb5829836"] },
  {
    client: "vite-plugin-11.9.0",
    release: "web@1.0.0",
    hasBundleId: false,
    ids: ["c339dd2a-5006-460e-bd22-c2d82e8fac13"],
  },
];

for (const { client, release, dist, hasBundleId, ids } of uploads) {
  test(`the bundle of ${client} is one pair under its ids`, async () => {
    const bundle = await readBundle(recorded(`${client}.zip`));
    assert.is(bundle.release, release);
    assert.is(bundle.dist, dist);
    assert.is(bundle.bundleId !== undefined, hasBundleId);
    assert.equal(bundle.warnings, []);
    const files: PairFile[] = [];
    for await (const file of bundle.files()) files.push({ ...file, ...identifiersOf(file) });
    const { pairs, sourceOnly, mapOnly, warnings } = pairFiles(files);
    assert.equal([sourceOnly, mapOnly, warnings], [[], [], []]);
    assert.is(pairs.length, 1);
    const [pair] = pairs;
    assert.equal(pair?.debugIds, ids);
    assert.is(pair?.map === "inline" ? "" : pair?.map.url, `${pair?.minified.url}.map`);
    assert.is(whyUnusable(files, bundle.release), undefined);
    if (ids.length === 0) assert.match(whyUnusable(files, undefined) ?? "", /neither debug ids nor a release/);
  });

  test(`without the headers of its manifest, the files of ${client} have the same ids`, async () => {
    for await (const file of (await readBundle(recorded(`${client}.zip`))).files()) {
      assert.equal(identifiersOf({ ...file, headers: {} }).debugIds, ids);
    }
  });
}

const bodies: [client: string, sizes: readonly number[]][] = [
  ["sentry-cli-2.58.6", [512, 512]],
  ["sentry-cli-3.8.0", [1602]],
  ["vite-plugin-11.9.0", [3777]],
];

/** The first line of a body is its boundary behind two hyphens. */
const typeOf = (body: Buffer) => `multipart/form-data; boundary=${body.toString("latin1", 2, body.indexOf("\r\n"))}`;

const limits = { maxChunks: 2, maxChunkBytes: 512 * 1024 };

for (const [client, sizes] of bodies) {
  test(`the chunks that ${client} sends are read`, async () => {
    const body = recorded(`${client}.body`);
    const chunks = await readChunks(body, typeOf(body), limits);
    assert.equal(
      chunks.map(({ content }) => content.length),
      sizes,
    );
  });
}

test("a chunk that a plugin sends with zstd is refused with a sentence about zstd", async () => {
  const body = recorded("vite-plugin-11.9.0-zstd.body");
  const thrown = await readChunks(body, typeOf(body), limits).catch((error: unknown) => error);
  assert.match(String(thrown), /compressed with zstd/);
});

test.run();
