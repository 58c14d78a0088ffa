import { randomBytes } from "node:crypto";
import { Role, type Quota } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { recountOf, rowsOf } from "../../support/database/stored-rows.ts";
import { storedEventCount } from "../../support/database/stored.ts";
import { newMember } from "../../support/core/person.ts";
import { createProject, type Project } from "../../support/core/project.ts";
import { rest } from "../../support/rest/rest.ts";
import { until } from "../../support/run/until.ts";
import { newEventId, sendStore } from "../../support/sentry/send.ts";
import { hourMs, movableFaultline } from "../../support/service/movable-faultline.ts";
import { tempDir } from "../../support/service/temp-dir.ts";
import { noisyBundle } from "../../support/source-maps/noisy-bundle.ts";
import { putChunk, uploadBundle, type Assembled } from "../../support/source-maps/upload.ts";

const dataDir = tempDir();
const { client, clock, faultline } = await movableFaultline({ dataDir });
const server = { url: faultline.httpUrl };
const megabyte = 1_000_000;

async function quotaOf({ id }: Pick<Project, "id">): Promise<Quota> {
  const { quota } = await client.quotas.getQuota({ projectId: id }, client.auth);
  assert.ok(quota);
  return quota;
}

const partOf = (quota: Quota, name: string) =>
  Number(quota.keptParts.find((part) => part.name === name)?.bytes ?? assert.unreachable(name));

const limit = ({ id }: Project, bytes: number) =>
  client.quotas.updateQuota({ projectId: id, keptLimitBytes: BigInt(bytes), dayLimitBytes: 0n }, client.auth);

/** Uploads as a builder of the project does. */
async function uploaderOf(project: Project): Promise<(bundle: Buffer, version: string) => Promise<Assembled>> {
  const { token } = await newMember(client, project.id, Role.DEVELOPER, ["upload"]);
  const upload = { token, organization: "-", projects: [project.path] };
  return (bundle, version) => uploadBundle(server, bundle, { ...upload, version });
}

const releasesOf = async ({ id }: Project) => {
  const { artifactBundles } = await client.sourceMaps.listArtifactBundles({ projectId: id }, client.auth);
  return artifactBundles.map(({ release }) => release).toSorted();
};

const sendNoise = async (project: Project, bytes: number) => {
  const event = { exception: { values: [{ type: "Flood", value: "x" }] } };
  const extra = { noise: randomBytes(bytes * 0.75).toString("base64") };
  return (await sendStore(server, project, { event_id: newEventId(), ...event, extra })).status;
};

test("uploads and releases count for what a project keeps, each as a part, and for no day", async () => {
  const project = await createProject(server);
  const upload = await uploaderOf(project);
  assert.is((await upload(noisyBundle(200_000), "a@1")).state, "ok");
  const commits = [{ commitId: "c1", message: "x".repeat(900), paths: ["src/app.ts"] }];
  await client.releaseRecords.recordCommits({ projectId: project.id, version: "a@1", commits }, client.auth);
  const quota = await until("both are counted", async () => {
    const now = await quotaOf(project);
    return partOf(now, "source-maps") > 200_000 && partOf(now, "release-records") > 1_000 ? now : undefined;
  });
  assert.ok(partOf(quota, "source-maps") < 250_000, `${partOf(quota, "source-maps")}`);
  assert.ok(partOf(quota, "release-records") < 3_000);
  assert.equal([quota.dayBytes, partOf(quota, "events")], [0n, 0]);
  assert.is(
    quota.keptBytes,
    quota.keptParts.reduce((sum, { bytes }) => sum + bytes, 0n),
  );
  const shown = await rest(server, `GET /projects/${project.id}/error_tracking/quota`);
  const json = shown.json as { kept_parts: { name: string; bytes: number }[] };
  const names = json.kept_parts.map(({ name }) => name);
  assert.is(names[0], "events");
  assert.ok(
    ["source-maps", "release-records"].every((name) => names.includes(name)),
    names.join(),
  );
  const { quotas } = await client.quotas.listQuotas({}, client.auth);
  assert.is(quotas[0]?.projectId, project.id, "it keeps most, though it has no event");
});

test("a content that two uploads share counts once, and until the last of them is gone", async () => {
  const project = await createProject(server);
  const upload = await uploaderOf(project);
  const bundle = noisyBundle(200_000);
  for (const version of ["a@1", "a@2"]) assert.is((await upload(bundle, version)).state, "ok");
  const kept = async () => partOf(await quotaOf(project), "source-maps");
  await until("it is counted once", async () => (await kept()) > 200_000);
  assert.ok((await kept()) < 250_000, `${await kept()}`);
  const { artifactBundles } = await client.sourceMaps.listArtifactBundles({ projectId: project.id }, client.auth);
  const remove = (n: number) =>
    client.sourceMaps.deleteArtifactBundle(
      { projectId: project.id, bundleId: artifactBundles[n]?.bundleId ?? 0 },
      client.auth,
    );
  const bytes = await kept();
  await remove(1);
  clock.at += 2 * hourMs; // what nothing needs is deleted each hour
  await until("its row is no longer counted", async () => (await kept()) < bytes);
  assert.ok((await kept()) > 200_000, "the other one needs the content");
  await remove(0);
  clock.at += 2 * hourMs;
  await until("nothing is kept", async () => (await kept()) === 0);
  const left = await rowsOf(dataDir, `select bytes from source_kept where project_id = ${project.id}`);
  assert.equal(
    left.map(({ bytes: sum }) => Number(sum)),
    [0],
  );
});

test("chunks of a read bundle are deleted, and chunks of a bundle under way wait", async () => {
  const project = await createProject(server);
  const { token, userId } = await newMember(client, project.id, Role.DEVELOPER, ["upload"]);
  const upload = { token, organization: "-", projects: [project.path] };
  const chunks = () => rowsOf(dataDir, `select size from source_chunk where user_id = ${userId}`);
  assert.is((await uploadBundle(server, noisyBundle(50_000), { ...upload, version: "a@1" })).state, "ok");
  assert.is((await putChunk(server, Buffer.from("of the next bundle"), upload)).status, 200);
  assert.is((await chunks()).length, 2);
  clock.at += 11_000;
  await until("one is left", async () => (await chunks()).length === 1);
  assert.is(Number((await chunks())[0]?.["size"]), "of the next bundle".length);
});

test("if a project keeps more uploads than events, its oldest upload gives way, but no event and no other project", async () => {
  const [project, other] = [await createProject(server), await createProject(server)];
  const [upload, uploadOther] = [await uploaderOf(project), await uploaderOf(other)];
  assert.is((await uploadOther(noisyBundle(300_000), "other@1")).state, "ok");
  for (const version of ["a@1", "a@2", "a@3"]) {
    assert.is((await upload(noisyBundle(300_000), version)).state, "ok");
    clock.at += 1_000;
  }
  for (let n = 0; n < 4; n++) assert.is(await sendNoise(project, 20_000), 200);
  await until("all are counted", async () => (await quotaOf(project)).keptBytes > 960_000n);
  await limit(project, megabyte);
  await until("the oldest is gone", async () => (await quotaOf(project)).keptBytes < 930_000n);
  assert.equal(await releasesOf(project), ["a@2", "a@3"]);
  assert.equal(await releasesOf(other), ["other@1"]);
  assert.is(await storedEventCount(client, project.id), 4);
  assert.is((await quotaOf(project)).evictedEventCount, 0n);
});

test("an upload beyond the limit is refused in words, and events are still stored", async () => {
  const project = await createProject(server);
  const upload = await uploaderOf(project);
  await limit(project, megabyte);
  for (const version of ["a@1", "a@2", "a@3"]) assert.is((await upload(noisyBundle(280_000), version)).state, "ok");
  await until("they are counted", async () => (await quotaOf(project)).keptBytes > 840_000n);
  const refused = await upload(noisyBundle(400_000), "a@4");
  assert.is(refused.state, "error");
  assert.match(refused.detail ?? "", "more than half of it is not events");
  assert.is(await sendNoise(project, 20_000), 200);
});

test("a project with a limit full of events still uploads: its events give way, and no event is refused", async () => {
  const project = await createProject(server);
  const upload = await uploaderOf(project);
  await limit(project, megabyte);
  for (let n = 0; n < 9; n++) assert.is(await sendNoise(project, 100_000), 200);
  assert.is((await upload(noisyBundle(300_000), "a@1")).state, "ok");
  await until("there is room again", async () => {
    assert.is(await sendNoise(project, 1_000), 200);
    const quota = await quotaOf(project);
    return partOf(quota, "source-maps") > 300_000 && quota.keptBytes < 950_000n && quota.evictedEventCount > 0n;
  });
  assert.equal(await releasesOf(project), ["a@1"]);
  assert.equal(await recountOf(dataDir), []);
});

test("if a project keeps mostly releases, the release that was unused for longest gives way", async () => {
  const project = await createProject(server);
  const commits = Array.from({ length: 440 }, (_, n) => ({ commitId: `c${n}`, message: "x".repeat(900) }));
  for (const version of ["a@1", "a@2"]) {
    await client.releaseRecords.recordCommits({ projectId: project.id, version, commits }, client.auth);
    clock.at += 1_000;
  }
  await until("both are counted", async () => (await quotaOf(project)).keptBytes > 960_000n);
  await limit(project, megabyte);
  await until("it keeps less", async () => (await quotaOf(project)).keptBytes < 900_000n);
  const { releaseRecords } = await client.releaseRecords.listReleaseRecords({ projectId: project.id }, client.auth);
  assert.equal(
    releaseRecords.map(({ version }) => version),
    ["a@2"],
  );
});

test.run();
