import { Backend, ErrorReason } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { answered, assertAnswer } from "../support/assert/assert-answer.ts";
import { grpcClient, type GrpcClient } from "../support/core/grpc.ts";
import { createProject } from "../support/core/project.ts";
import { rejects } from "../support/assert/rejects.ts";
import { rest } from "../support/rest/rest.ts";
import { newEventId, sendEvent } from "../support/sentry/send.ts";
import { startServer, type Server, type ServerOptions } from "../support/service/server.ts";

const running = new Set<Server>();
const clients = new Set<GrpcClient>();
test.after(async () => {
  for (const client of clients) client.close();
  for (const server of running) await server.kill9();
});

async function start(options: ServerOptions): Promise<Server> {
  const server = await startServer(options);
  running.add(server);
  return server;
}

/** A project that was made hosted, active with the integrated backend and a key, on a server of another offering. */
async function leftOver(offering: string) {
  const hosted = await start({});
  const project = await createProject(hosted);
  assert.is((await sendEvent(hosted, project, { event_id: newEventId(), message: "taken" })).status, 200);
  assert.is(await hosted.stop(), 0);
  const server = await start({ dataDir: hosted.dataDir, env: { FAULTLINE_OFFERING: offering } });
  const client = grpcClient(server);
  clients.add(client);
  return {
    server,
    client,
    project,
    projectId: project.id,
    settings: `/projects/${project.id}/error_tracking/settings`,
  };
}

type LeftOver = Awaited<ReturnType<typeof leftOver>>;

for (const offering of ["self_managed", "dedicated"]) {
  test(`data of a hosted installation, started as ${offering}, takes no more events and still saves settings`, async () => {
    const left = await leftOver(offering);
    await takesNoEvents(left);
    await showsNoDsn(left);
    await refusesTheIntegratedBackend(left);
    await savesWhatIsElse(left);
  });
}

async function takesNoEvents({ server, client, project, projectId }: LeftOver) {
  const event = { event_id: newEventId(), message: "refused" };
  const refused = await sendEvent(server, project, event);
  assert.is(refused.status, 403);
  assert.match(refused.text, "The DSN is right, but the integrated backend is not offered here");
  const guess = await sendEvent(server, { ...project, key: `flck_${"f".repeat(32)}` }, event);
  assert.match(guess.text, "The DSN is not accepted: check its key and project.");
  const events = [{ projectId, eventId: newEventId(), payload: Buffer.from("{}") }];
  const report = await rejects(client.ingest.reportEvents({ events }, client.auth), "FAILED_PRECONDITION");
  assert.is(report.reason, ErrorReason.INTEGRATED_NOT_OFFERED);
}

async function showsNoDsn({ server, client, project, projectId, settings }: LeftOver) {
  const why = /hosted offering only, so this installation accepts no events and shows no DSN/;
  const held = (await client.settings.getSettings({ projectId }, client.auth)).settings;
  assert.ok(held?.active);
  assert.is(held.dsn, "");
  assert.match(held.dsnUnavailableReason, why);
  const read = await answered(rest(server, `GET ${settings}`), 200);
  const { dsn, dsn_unavailable_reason } = read.json as Record<string, unknown>;
  assert.is(dsn, null);
  assert.match(String(dsn_unavailable_reason), why);

  const capabilities = await capabilitiesOf(client, projectId);
  assert.is(capabilities?.integratedBackend?.allowed, false);
  assert.match(capabilities?.integratedBackend?.reason ?? "", "hosted offering only");
  assert.is(capabilities?.clientKeys?.allowed, false);
  assert.match(capabilities?.clientKeys?.reason ?? "", why);
  assert.ok(capabilities?.read?.allowed, "what was stored is still read");

  const { clientKeys } = await client.clientKeys.listClientKeys({ projectId }, client.auth);
  assert.equal(
    clientKeys.map(({ publicKey, dsn: keyDsn, legacyDsn }) => publicKey + keyDsn + legacyDsn),
    ["", ""],
  );
  const keys = `/projects/${projectId}/error_tracking/client_keys`;
  const listed = await answered(rest(server, `GET ${keys}`), 200);
  assert.not.match(listed.text, /[0-9a-f]{32}/);
  assert.equal(
    (listed.json as { id: number }[]).map(({ id }) => id),
    clientKeys.map(({ keyId }) => keyId),
  );
  const made = await rejects(client.clientKeys.createClientKey({ projectId }, client.auth), "FAILED_PRECONDITION");
  assert.is(made.reason, ErrorReason.INTEGRATED_NOT_OFFERED);
  assert.match(made.message, why);
  assert.match((await answered(rest(server, `POST ${keys}`), 404)).text, why);
  const deleted = await answered(rest(server, `DELETE ${keys}/${project.keyId}`), 200);
  assert.not.match(deleted.text, project.key);

  const { ownErrorReporting } = await client.instance.getOwnErrorReporting({}, client.auth);
  assert.is(ownErrorReporting?.suggestedProjectId, 0);
  const own = client.instance.updateOwnErrorReporting({ enabled: true, projectId }, client.auth);
  const ownRefusal = await rejects(own, "FAILED_PRECONDITION");
  assert.is(ownRefusal.reason, ErrorReason.INTEGRATED_NOT_OFFERED);
  assert.is(ownRefusal.field, "project_id");
}

async function refusesTheIntegratedBackend({ server, client, projectId, settings }: LeftOver) {
  const { revision } = await stored(client, projectId);
  for (const wish of [
    { active: true, backend: Backend.INTEGRATED },
    { active: false, backend: Backend.INTEGRATED },
    { backend: Backend.INTEGRATED },
    { active: true },
  ]) {
    const refusal = await rejects(
      client.settings.updateSettings({ projectId, ...wish }, client.auth),
      "FAILED_PRECONDITION",
    );
    assert.is(refusal.reason, ErrorReason.INTEGRATED_NOT_OFFERED);
    assert.is(refusal.field, "backend");
    assert.match(refusal.message, "hosted offering only");
  }
  const message =
    "404 Not Found - The integrated backend is offered on the hosted offering only. Choose the external backend.";
  for (const active of [true, false]) {
    await assertAnswer(rest(server, `PUT ${settings}`, { body: { active, integrated: true } }), 404, { message });
  }
  await assertAnswer(rest(server, `PATCH ${settings}`, { body: { active: true } }), 404, { message });
  assert.is((await stored(client, projectId)).revision, revision, "nothing was saved");
}

async function savesWhatIsElse({ server, client, projectId, settings }: LeftOver) {
  const url = "https://errors.example.com";
  await client.settings.updateSettings({ projectId, externalApiUrl: url }, client.auth);
  assert.ok((await stored(client, projectId)).active);
  const off = await answered(rest(server, `PATCH ${settings}`, { body: { active: false } }), 200);
  const { active, integrated, dsn } = off.json as Record<string, unknown>;
  assert.equal([active, integrated, dsn], [false, true, null]);
  const body = { active: false, integrated: false };
  await assertAnswer(rest(server, `PUT ${settings}`, { body }), 200);
  const external = await stored(client, projectId);
  assert.is(external.backend, Backend.EXTERNAL);
  assert.is(external.dsnUnavailableReason, "");
  assert.match((await capabilitiesOf(client, projectId))?.clientKeys?.reason ?? "", "belong to the integrated backend");
  const back = client.settings.updateSettings({ projectId, backend: Backend.INTEGRATED }, client.auth);
  assert.is((await rejects(back, "FAILED_PRECONDITION")).reason, ErrorReason.INTEGRATED_NOT_OFFERED);
}

async function stored(client: GrpcClient, projectId: number) {
  const { settings } = await client.settings.getSettings({ projectId }, client.auth);
  assert.ok(settings);
  return settings;
}

async function capabilitiesOf(client: GrpcClient, projectId: number) {
  const key = { case: "projectId", value: projectId } as const;
  const { project } = await client.projects.getProject({ key }, client.auth);
  return project?.capabilities;
}

test.run();
