import { hash } from "node:crypto";
import { ArtifactBundleState as State, Role } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { refusedBecause } from "../../support/assert/refused-because.ts";
import { newMember } from "../../support/core/person.ts";
import { createProject, type Project } from "../../support/core/project.ts";
import { execSql, rowsOf } from "../../support/database/other-process.ts";
import { until } from "../../support/run/until.ts";
import { dayMs, hourMs, movableFaultline } from "../../support/service/movable-faultline.ts";
import { tempDir } from "../../support/service/temp-dir.ts";
import { testConfig } from "../../support/service/test-config.ts";
import { manyPairs } from "../../support/source-maps/hostile-bundles.ts";
import { assemble, putChunk, uploadBundle, type Assembled } from "../../support/source-maps/upload.ts";

/** The resources that uploads may take: turns, places to wait, chunks and rows. */

const dataDir = tempDir();
const { client, faultline, clock } = await movableFaultline(testConfig(dataDir));
const server = { url: faultline.httpUrl };
const chunkBytes = 512 * 1024;

/** A project, and a person who may upload for it. */
async function newBuild() {
  const project = await createProject(server);
  const builder = await newMember(client, project.id, Role.DEVELOPER, ["upload"]);
  return { project, builder, upload: { token: builder.token, organization: "-", projects: [project.path] } };
}

async function bundlesOf({ id }: Project) {
  const { artifactBundles } = await client.sourceMaps.listArtifactBundles(
    { projectId: id, pageSize: 100 },
    client.auth,
  );
  return artifactBundles;
}

test("during a large upload, 19 uploads of its project wait, further ones get 429, and an upload of another project is read", async () => {
  const [large, small] = [await newBuild(), await newBuild()];
  const isLarge = ({ release }: { release: string }) => release === "";
  const over = uploadBundle(server, manyPairs(2_000), large.upload);
  const begun = await until("the large one is noted", async () => (await bundlesOf(large.project)).find(isLarge));
  const bundle = Buffer.from("no zip at all");
  assert.is((await putChunk(server, bundle, large.upload)).status, 200);
  const calls = Array.from({ length: 24 }, (_, n) =>
    assemble(server, bundle, [bundle], { ...large.upload, version: `web@${n}` }),
  );
  assert.is((await uploadBundle(server, manyPairs(3), small.upload)).state, "ok");
  const waiting = await bundlesOf(large.project);
  assert.equal([waiting.length, waiting.every(({ state }) => state === State.CREATED)], [20, true]);
  const { bundleId } = begun;
  await client.sourceMaps.deleteArtifactBundle({ projectId: large.project.id, bundleId }, client.auth);
  assert.is((await over).state, "not_found", "the call ends with the upload");
  const refused = (await Promise.all(calls)).filter(({ status }) => status !== 200);
  assert.is(refused.length, 5);
  for (const { status, headers, text } of refused) {
    assert.equal([status, headers["retry-after"]], [429, "10"]);
    assert.match(
      text,
      /20 uploads of the project are waiting to be read\. Upload this bundle again when some of them are done/,
    );
  }
});

test("a chunk may be named several times and counts each time; only the last one may be short", async () => {
  const { upload } = await newBuild();
  const [full, short] = [Buffer.alloc(chunkBytes), Buffer.from("short")];
  for (const chunk of [full, short]) assert.is((await putChunk(server, chunk, upload)).status, 200);
  const inOrder = [full, full, short];
  const named = (await assemble(server, Buffer.concat(inOrder), inOrder, upload)).json as Assembled;
  assert.match(named.detail ?? "", /^The upload is not an artifact bundle/, "its chunks make up what it says");
  const refused = await assemble(server, full, [short, full], upload);
  assert.is(refused.status, 400);
  assert.match(refused.text, /Only the last chunk of a bundle may have fewer than 524288 bytes/);
});

test("a project keeps its newest 100 failed uploads for a day", async () => {
  const { upload, project } = await newBuild();
  const bundle = Buffer.from("no zip at all");
  const send = async (n: number) => {
    const answer = await assemble(server, bundle, [bundle], { ...upload, version: `web@${n}` });
    assert.is((answer.json as Assembled).state, "error", answer.text);
  };
  assert.is((await putChunk(server, bundle, upload)).status, 200);
  for (let n = 0; n < 105; n += 15) {
    await Promise.all(Array.from({ length: 15 }, (_, place) => send(n + place)));
    clock.at += 1;
  }
  const kept = await bundlesOf(project);
  assert.is(kept.length, 100);
  assert.ok(kept.some(({ release }) => release === "web@104"));
  const [row] = await rowsOf(dataDir, `select count(*) as n from source_bundle where project_id = ${project.id}`);
  assert.is(Number(row?.["n"]), 100);
  clock.at += dayMs + hourMs;
  await until("they are deleted", async () => (await bundlesOf(project)).length === 0);
});

test("a person has at most 4,096 chunks, even if they come simultaneously; chunks deleted after a day make room", async () => {
  const { builder } = await newBuild();
  const put = (text: string) =>
    client.sourceMaps.putChunk({ sha1: hash("sha1", text), content: Buffer.from(text) }, { token: builder.token });
  await put("first");
  await execSql(dataDir, `update source_chunk_sum set chunk_count = 4094 where user_id = ${builder.userId}`);
  const puts = await Promise.allSettled(Array.from({ length: 6 }, (_, n) => put(`chunk ${n}`)));
  assert.is(puts.filter(({ status }) => status === "fulfilled").length, 2);
  const refusal = await refusedBecause("LIMIT_REACHED", put("one more"));
  assert.match(refusal.message, /^4,096 of your chunks are already waiting for their bundles/);
  await put("first"); // it is there
  clock.at += dayMs + hourMs;
  const sum = async () =>
    (await rowsOf(dataDir, `select bytes, chunk_count from source_chunk_sum where user_id = ${builder.userId}`))[0];
  await until("the chunks are deleted", async () => Number((await sum())?.["chunk_count"]) === 0);
  await put("one more");
  assert.equal(Object.values((await sum()) ?? {}).map(Number), ["one more".length, 1]);
});

test.run();
