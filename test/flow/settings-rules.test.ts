import { Backend, ErrorReason } from "@faultline/proto";
import type { CallError } from "@faultline/proto/grpc";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { grpcClient, type GrpcClient } from "../support/grpc.ts";
import { rejects } from "../support/rejects.ts";
import { reported } from "../support/reported.ts";
import { startServer, type Server } from "../support/server.ts";

let server: Server;
let client: GrpcClient;
let projectId: number;

test.before(
  reported(async () => {
    server = await startServer();
    client = grpcClient(server);
  }),
);
let made = 0;
test.before.each(async () => {
  const { project } = await client.projects.createProject({ path: `saves/${++made}` }, client.auth);
  projectId = project?.projectId ?? 0;
});
test.after(async () => {
  client?.close();
  await server?.stop();
});

type Change = Omit<Parameters<GrpcClient["settings"]["updateSettings"]>[0], "projectId" | "$typeName">;
const save = (change: Change) => client.settings.updateSettings({ projectId, ...change }, client.auth);
const integrated = { active: true, backend: Backend.INTEGRATED };
const atOnce = 20;

test("of many saves of the same revision at once one goes through, and the others are told", async () => {
  const { settings } = await save(integrated);
  const { revision = 0 } = settings ?? {};
  const saves = Array.from({ length: atOnce }, (_, n) => save({ externalApiUrl: `https://h${n}.example`, revision }));
  const outcomes = await Promise.all(
    saves.map((one) =>
      one.then(
        (answer) => answer.settings?.externalApiUrl ?? "",
        ({ reason }: CallError) => reason,
      ),
    ),
  );
  const saved = outcomes.filter((outcome) => typeof outcome === "string");
  assert.is(saved.length, 1);
  assert.is(outcomes.filter((outcome) => outcome === ErrorReason.SETTINGS_CHANGED).length, atOnce - 1);
  const now = (await client.settings.getSettings({ projectId }, client.auth)).settings;
  assert.is(now?.revision, revision + 1);
  assert.is(now?.externalApiUrl, saved[0]);
});

test("first saves at once all succeed and make one key", async () => {
  const answers = await Promise.all(Array.from({ length: atOnce }, () => save(integrated)));
  assert.equal(
    answers.map(({ settings }) => settings?.revision ?? 0).toSorted((a, b) => a - b),
    answers.map((_, n) => n + 1),
  );
  const { clientKeys, totalSize } = await client.clientKeys.listClientKeys({ projectId }, client.auth);
  assert.is(totalSize, 1);
  for (const { settings } of answers) assert.is(settings?.dsn, clientKeys[0]?.dsn);
});

test("a save that expects no settings is refused where there are some", async () => {
  await save({ ...integrated, revision: 0 });
  const refusal = await rejects(save({ active: false, revision: 0 }), "ABORTED");
  assert.is(refusal.reason, ErrorReason.SETTINGS_CHANGED);
});

test("all that is missing of an external backend is told in one sentence, and the first field by name", async () => {
  const refusal = await rejects(save({ active: true, backend: Backend.EXTERNAL }), "FAILED_PRECONDITION");
  assert.is(refusal.reason, ErrorReason.EXTERNAL_SETTINGS_INCOMPLETE);
  assert.is(refusal.message, "Api url is a required field, Token is a required field, Project is a required field");
  assert.is(refusal.field, "external_api_url");
});

test("a token that comes with a new address is the new address's, and an empty token is none", async () => {
  const externalProject = { slug: "shop", name: "Shop", organizationSlug: "acme", organizationName: "Acme" };
  const external = { active: false, backend: Backend.EXTERNAL, externalProject };
  const hasToken = async (change: Change) => (await save(change)).settings?.hasExternalAuthToken;
  assert.ok(await hasToken({ ...external, externalApiUrl: "https://a.example", externalAuthToken: "s3cret" }));
  assert.ok(await hasToken({ externalApiUrl: "https://b.example", externalAuthToken: "other" }));
  assert.ok(await hasToken({ externalApiUrl: "https://b.example/base" }));
  assert.not(await hasToken({ externalApiUrl: "https://b.example:8443" }));
  assert.ok(await hasToken({ externalAuthToken: "again" }));
  assert.not(await hasToken({ externalApiUrl: "http://b.example:8443" }));
  assert.ok(await hasToken({ externalAuthToken: "again" }));
  assert.not(await hasToken({ externalAuthToken: "" }));
});

test("with Monitor off every call for errors is refused in words, and keys and settings are still looked after", async () => {
  await save(integrated);
  await client.projects.updateProject({ projectId, monitorEnabled: false }, client.auth);
  const { errors, auth } = client;
  const watched = async () => {
    for await (const response of errors.watchErrors({ projectId }, auth)) return response;
    return undefined;
  };
  const calls = [
    errors.listErrors({ projectId }, auth),
    errors.getError({ projectId, errorId: "1" }, auth),
    errors.updateErrors({ projectId, changes: [] }, auth),
    errors.listEvents({ projectId, errorId: "1" }, auth),
    errors.getEvent({ projectId, errorId: "1" }, auth),
    errors.getErrorStats({ projectId, errorId: "1" }, auth),
    watched(),
  ];
  for (const refusal of await Promise.all(calls.map((call) => rejects(call, "FAILED_PRECONDITION")))) {
    assert.is(refusal.reason, ErrorReason.MONITOR_DISABLED);
    assert.match(refusal.message, "Monitor is turned off");
  }
  const { clientKey } = await client.clientKeys.createClientKey({ projectId }, auth);
  assert.is((await client.clientKeys.listClientKeys({ projectId }, auth)).totalSize, 2);
  await client.clientKeys.deleteClientKey({ projectId, keyId: clientKey?.keyId ?? 0 }, auth);
  assert.ok((await save({ active: true })).settings?.active);
});

test.run();
