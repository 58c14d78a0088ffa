import { randomUUID } from "node:crypto";
import { ArtifactBundleState as State } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { grpcClient } from "../support/core/grpc.ts";
import { createProject } from "../support/core/project.ts";
import { until } from "../support/run/until.ts";
import { rootToken, startServer } from "../support/service/server.ts";
import { tempDir } from "../support/service/temp-dir.ts";
import { sysb, zipOf } from "../support/source-maps/bundle-zip.ts";
import { builtCheckout } from "../support/source-maps/built.ts";
import { uploadBundle } from "../support/source-maps/upload.ts";

const fileCount = 300;

/** An artifact bundle of many files, which takes seconds to read. */
async function largeBundle(): Promise<Buffer> {
  const { code, map } = await builtCheckout();
  const entries = Array.from({ length: fileCount }, (_, n) => {
    const headers = { "debug-id": randomUUID() };
    const path = `_/_/part-${n}.js`;
    const url = `~/part-${n}.js`;
    return [
      { name: path, content: `${code}// ${n}`, listed: { url, type: "minified_source", headers } },
      { name: `${path}.map`, content: map, listed: { url: `${url}.map`, type: "source_map", headers } },
    ];
  }).flat();
  const files = Object.fromEntries(entries.map(({ name, listed }) => [name, listed]));
  return zipOf([...entries, { name: "manifest.json", content: JSON.stringify({ files }) }], { start: sysb() });
}

test("an upload that is cut off by kill -9 while it is read is read whole after the next start", async () => {
  const dataDir = tempDir();
  const first = await startServer({ dataDir });
  const project = await createProject(first, { name: "Web", path: "acme/web" });
  const upload = { token: rootToken, organization: "acme", projects: ["web"] };
  const bundles = async (server: typeof first) => {
    const client = grpcClient(server);
    try {
      return (await client.sourceMaps.listArtifactBundles({ projectId: project.id }, client.auth)).artifactBundles;
    } finally {
      client.close();
    }
  };
  const cut = uploadBundle(first, await largeBundle(), upload).catch(() => "cut off");
  await until("it is being read", async () => (await bundles(first))[0]?.state === State.CREATED, { everyMs: 20 });
  await first.kill9();
  assert.is(await cut, "cut off");

  const second = await startServer({ dataDir });
  try {
    const read = await until("it is read", async () => (await bundles(second)).find(({ state }) => state === State.OK));
    assert.is(read.mappedFileCount, fileCount);
    assert.equal(read.warnings, []);
  } finally {
    await second.stop();
  }
});

test.run();
