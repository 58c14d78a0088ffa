import { Backend, ErrorReason } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { sharedServer } from "../support/service/flow.ts";
import { grpcClient, type GrpcClient } from "../support/core/grpc.ts";
import { createProject } from "../support/core/project.ts";
import { rejects } from "../support/assert/rejects.ts";
import { newEventId, sendEvent } from "../support/sentry/send.ts";
import { startServer } from "../support/service/server.ts";
import { promised } from "../support/run/deadlines.ts";
import { until } from "../support/run/until.ts";

const { server, client } = await sharedServer();

let made = 0;
async function newProject(): Promise<number> {
  made += 1;
  const { project } = await client.projects.createProject({ path: `settings/p${made}` }, client.auth);
  return project?.projectId ?? 0;
}
const update = (request: Parameters<GrpcClient["settings"]["updateSettings"]>[0]) =>
  client.settings.updateSettings(request, client.auth);
const read = (projectId: number) => client.settings.getSettings({ projectId }, client.auth);
const external = {
  active: true,
  backend: Backend.EXTERNAL,
  externalApiUrl: "https://of-settings.example", // unique to this file, because files share the service
  externalAuthToken: "very-secret-token",
  externalProject: { id: "7", slug: "shop", name: "Shop", organizationSlug: "acme", organizationName: "Acme" },
};

test("settings that were never saved are not found; the first save makes them, with a DSN", async () => {
  const projectId = await newProject();
  assert.is((await rejects(read(projectId), "NOT_FOUND")).reason, ErrorReason.SETTINGS_NOT_FOUND);
  const { settings } = await update({ projectId, active: true, backend: Backend.INTEGRATED });
  assert.ok(settings?.active);
  const { host } = new URL(server.url);
  assert.match(settings?.dsn ?? "", new RegExp(`^http://flck_[0-9a-f]{32}@${host}/${projectId}$`));
  assert.is((await read(projectId)).settings?.dsn, settings?.dsn);
});

test("saving again makes no further key", async () => {
  const projectId = await newProject();
  for (const active of [true, false, true]) await update({ projectId, active, backend: Backend.INTEGRATED });
  const { clientKeys } = await client.clientKeys.listClientKeys({ projectId }, client.auth);
  assert.is(clientKeys.length, 1);
});

test("the second of two saves from the same state is refused and changes nothing", async () => {
  const projectId = await newProject();
  const { settings } = await update({ projectId, active: true, backend: Backend.INTEGRATED });
  const { revision } = settings ?? { revision: 0 };
  await update({ projectId, active: false, revision });
  await update({ projectId, active: true, revision }).then(
    () => assert.unreachable("the stale save went through"),
    (error: { reason: ErrorReason }) => assert.is(error.reason, ErrorReason.SETTINGS_CHANGED),
  );
  assert.is((await read(projectId)).settings?.active, false);
});

test("the external backend needs URL, token and project, and a refused save changes nothing", async () => {
  const projectId = await newProject();
  for (const absent of ["externalApiUrl", "externalAuthToken", "externalProject"] as const) {
    const { [absent]: _, ...rest } = external;
    const refusal = await rejects(update({ projectId, ...rest }), "FAILED_PRECONDITION");
    assert.is(refusal.reason, ErrorReason.EXTERNAL_SETTINGS_INCOMPLETE);
    assert.is(
      refusal.field,
      absent.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    );
    await rejects(read(projectId), "NOT_FOUND");
  }
});

test("the external token is kept, never shown, and forgotten when the host changes", async () => {
  const projectId = await newProject();
  const saved = await update({ projectId, ...external });
  assert.ok(saved.settings?.hasExternalAuthToken);
  assert.not.match(
    JSON.stringify(saved, (_, value) => (typeof value === "bigint" ? `${value}` : value)),
    external.externalAuthToken,
  );
  const renamed = await update({ projectId, externalApiUrl: `${external.externalApiUrl}/` });
  assert.ok(renamed.settings?.hasExternalAuthToken);
  await rejects(
    update({ projectId, externalApiUrl: "https://of-settings.example.evil.example" }),
    "FAILED_PRECONDITION",
  );
  const off = await update({ projectId, active: false, externalApiUrl: "https://of-settings.example.evil.example" });
  assert.is(off.settings?.hasExternalAuthToken, false);
});

for (const url of [
  "errors.example",
  "ftp://errors.example",
  "https://user:password@errors.example",
  "javascript:alert(1)",
  "https://",
  `https://${"x".repeat(300)}.example`,
])
  test(`the external API URL ${url.slice(0, 40)} is refused`, async () => {
    const projectId = await newProject();
    const refusal = await rejects(update({ projectId, ...external, externalApiUrl: url }), "INVALID_ARGUMENT");
    assert.is(refusal.field, "external_api_url");
  });

test("an installation that is not hosted does not offer the integrated backend, and says why", async () => {
  const selfManaged = await startServer({ env: { FAULTLINE_OFFERING: "self_managed" } });
  const other = grpcClient(selfManaged);
  const { project } = await other.projects.createProject({ path: "own" }, other.auth);
  const projectId = project?.projectId ?? 0;
  const refusal = await rejects(
    other.settings.updateSettings({ projectId, active: true, backend: Backend.INTEGRATED }, other.auth),
    "FAILED_PRECONDITION",
  );
  assert.is(refusal.reason, ErrorReason.INTEGRATED_NOT_OFFERED);
  const { settings } = await other.settings.updateSettings({ projectId, active: false }, other.auth);
  assert.is(settings?.backend, Backend.EXTERNAL);
  other.close();
  await selfManaged.stop();
});

test("with Monitor off a project takes no events and shows none, and both come back with it", async () => {
  const project = await createProject(server);
  const send = async () => (await sendEvent(server, project, { event_id: newEventId(), message: "watched" })).status;
  const list = () => client.errors.listErrors({ projectId: project.id }, client.auth);
  assert.is(await send(), 200);
  await client.projects.updateProject({ projectId: project.id, monitorEnabled: false }, client.auth);
  await until("403", async () => (await send()) === 403, { deadlineMs: promised(1_000) });
  assert.is((await rejects(list(), "FAILED_PRECONDITION")).reason, ErrorReason.MONITOR_DISABLED);
  const { project: off } = await client.projects.getProject(
    { key: { case: "projectId", value: project.id } },
    client.auth,
  );
  assert.is(off?.capabilities?.read?.allowed, false);
  assert.match(off?.capabilities?.read?.reason ?? "", "Monitor");
  await client.projects.updateProject({ projectId: project.id, monitorEnabled: true }, client.auth);
  await until("200", async () => (await send()) === 200, { deadlineMs: promised(1_000) });
  assert.is((await list()).errors.length, 1);
});

test("a project path is unique without regard to case, and well formed", async () => {
  const create = (path: string) => client.projects.createProject({ path }, client.auth);
  await create("Acme/Shop");
  assert.is((await rejects(create("acme/shop"), "ALREADY_EXISTS")).reason, ErrorReason.PROJECT_PATH_TAKEN);
  for (const path of ["", "/", "a//b", "a b", "../x", "-", "a/-/b", "a/b/c/d/e/f", "x".repeat(256), "é"])
    assert.is((await rejects(create(path), "INVALID_ARGUMENT")).field, "path", path);
});

test("projects are listed by path, in pages, and found by a part of their name", async () => {
  for (const path of ["zz/c", "zz/a", "zz/b"]) await client.projects.createProject({ path }, client.auth);
  const first = await client.projects.listProjects({ query: "ZZ/", pageSize: 2 }, client.auth);
  assert.equal(
    first.projects.map(({ path }) => path),
    ["zz/a", "zz/b"],
  );
  assert.is(first.totalSize, 3);
  const second = await client.projects.listProjects(
    { query: "ZZ/", pageSize: 2, pageToken: first.nextPageToken },
    client.auth,
  );
  assert.equal(
    second.projects.map(({ path }) => path),
    ["zz/c"],
  );
  assert.equal((await client.projects.listProjects({ query: "100%" }, client.auth)).projects, []);
});

test.run();
