import { existsSync } from "node:fs";
import { hash } from "node:crypto";
import { ArtifactBundleState as State, type ArtifactBundle } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { grpcClient, type GrpcClient } from "../../../support/core/grpc.ts";
import { createProject, type Project } from "../../../support/core/project.ts";
import {
  bound,
  measuringTest,
  memoryAtRest,
  memoryOf,
  type Measured,
  type Memory,
} from "../../../support/measure/measured.ts";
import { until } from "../../../support/run/until.ts";
import { sendEvent } from "../../../support/sentry/send.ts";
import { rootToken, startServer, type Server, type ServerOptions } from "../../../support/service/server.ts";
import { tempDir } from "../../../support/service/temp-dir.ts";
import { hostileBundles, manyPairs, type HostileBundle } from "../../../support/source-maps/hostile-bundles.ts";
import { assemble, putChunk, uploadBundle, type Assembled, type Upload } from "../../../support/source-maps/upload.ts";

/** Bundles that shall do harm, and uploads that go wrong, through the public door. */

const chunkBytes = 512 * 1024;

const uploadTo = ({ path }: Project): Upload => ({ token: rootToken, organization: "-", projects: [path] });

async function newest(client: GrpcClient, { id }: Project): Promise<ArtifactBundle | undefined> {
  const { artifactBundles } = await client.sourceMaps.listArtifactBundles({ projectId: id }, client.auth);
  return artifactBundles[0];
}

/** The bundle when it was read or refused. The answer comes after 20 s at most; thousands of files may take longer. */
async function uploadAndRead(server: Server, client: GrpcClient, project: Project, bundle: Buffer) {
  await uploadBundle(server, bundle, uploadTo(project));
  const end = async () => {
    const shown = await newest(client, project);
    return shown?.checksum === hash("sha1", bundle) && shown.state !== State.CREATED && shown;
  };
  return until("the upload is read or refused", end, { deadlineMs: 180_000, everyMs: 100 });
}

/** Records the memory during some work, and counts the events that another project stored meanwhile. */
async function watched<T>(server: Server, { look: noteMemory }: Memory, other: Project, work: Promise<T>) {
  const seen = { isOver: false, stored: 0 };
  const over = work.finally(() => (seen.isOver = true));
  const look = async () => {
    assert.is((await sendEvent(server, other, { message: `event ${seen.stored}` })).status, 200);
    seen.stored += 1;
    noteMemory();
    return seen.isOver;
  };
  await until("the upload is over", look, { deadlineMs: 200_000, everyMs: 20 });
  return { result: await over, ...seen };
}

/** Starts a service for a test, and ends it. */
async function served<T>(options: ServerOptions, use: (server: Server, client: GrpcClient) => Promise<T>): Promise<T> {
  const server = await startServer(options);
  const client = grpcClient(server);
  try {
    return await use(server, client);
  } finally {
    client.close();
    await server.stop();
  }
}

/** Uploads bundles one after the other; returns the most memory above idle. */
async function harm(server: Server, client: GrpcClient, bundles: readonly HostileBundle[]): Promise<Measured> {
  const project = await createProject(server);
  const other = await createProject(server);
  await memoryAtRest(server.pid);
  const memory = memoryOf(server.pid);
  for (const { claim, make, becomes } of bundles) {
    const bundle = make();
    const { result, stored } = await watched(server, memory, other, uploadAndRead(server, client, project, bundle));
    if (typeof becomes === "number") {
      assert.equal([result.state, result.detail, result.mappedFileCount], [State.OK, "", becomes], claim);
    } else {
      assert.is(result.state, State.ERROR, claim);
      assert.match(result.detail, becomes, claim);
    }
    assert.ok(stored > 0, claim);
  }
  return memory.grown();
}

const many: HostileBundle = { claim: "10,000 entries", make: () => manyPairs(5_000), becomes: 5_000 };
const small = hostileBundles.filter(({ isLarge }) => !isLarge);
const larger = [...hostileBundles.filter(({ isLarge }) => isLarge), many];
const groups = [
  { claim: "bundles that are broken", bundles: small },
  ...larger.map((one) => ({ claim: one.claim, bundles: [one] })),
];

for (const { claim, bundles } of groups) {
  measuringTest(`${claim}: refused with the cause or read, while another project's events are stored`, async () => {
    const grown = await served({ isCollected: true }, (server, client) => harm(server, client, bundles));
    bound(`memory for ${claim}`, grown, { atMost: 128 });
  });
}

test("paths in a bundle are no paths of files", () => assert.not(existsSync("/tmp/faultline.js")));

test("chunks that are damaged or make up another bundle are refused, and the same bundle is read afterwards", () =>
  served({}, async (server, client) => {
    const project = await createProject(server);
    const upload = uploadTo(project);
    const bundle = manyPairs(5);
    assert.is((await putChunk(server, bundle, upload, hash("sha1", "another"))).status, 400);
    const other = Buffer.from("other bytes");
    assert.is((await putChunk(server, other, upload)).status, 200);
    const mixed = (await assemble(server, bundle, [other], upload)).json as Assembled;
    assert.is(mixed.state, "error");
    assert.match(mixed.detail ?? "", /SHA-1 differs\. Upload it again\./);
    assert.is((await uploadBundle(server, bundle, upload)).state, "ok");
    assert.is((await newest(client, project))?.mappedFileCount, 5);
  }));

test("one bundle three times simultaneously, and another one with them, are each read once", () =>
  served({}, async (server, client) => {
    const project = await createProject(server);
    const [one, two] = [manyPairs(40), manyPairs(40)];
    const ends = await Promise.all([one, one, two, one].map((zip) => uploadBundle(server, zip, uploadTo(project))));
    assert.equal(
      ends.map(({ state }) => state),
      ["ok", "ok", "ok", "ok"],
    );
    const { artifactBundles } = await client.sourceMaps.listArtifactBundles({ projectId: project.id }, client.auth);
    const shown = artifactBundles.map(({ state, mappedFileCount }) => [state, mappedFileCount]);
    assert.equal(shown, [
      [State.OK, 40],
      [State.OK, 40],
    ]);
  }));

test("after kill -9 between two chunks an upload continues with the missing chunks", async () => {
  const dataDir = tempDir();
  const first = await startServer({ dataDir });
  const project = await createProject(first);
  const upload = uploadTo(project);
  const bundle = manyPairs(2_000);
  const chunks = [bundle.subarray(0, chunkBytes), bundle.subarray(chunkBytes)] as const;
  assert.ok(chunks[1].length > 0 && chunks[1].length <= chunkBytes);
  assert.is((await putChunk(first, chunks[0], upload)).status, 200);
  await first.kill9();
  await served({ dataDir }, async (server, client) => {
    const { state, missingChunks } = (await assemble(server, bundle, chunks, upload)).json as Assembled;
    assert.equal([state, missingChunks], ["not_found", [hash("sha1", chunks[1])]]);
    const read = await uploadAndRead(server, client, project, bundle);
    assert.equal([read.state, read.mappedFileCount], [State.OK, 2_000]);
  });
});

test.run();
