import { Backend, ErrorReason } from "@faultline/proto";
import type { CallError } from "@faultline/proto/grpc";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { grpcClient, type GrpcClient } from "../support/core/grpc.ts";
import { rejects } from "../support/assert/rejects.ts";
import { reported } from "../support/run/reported.ts";
import { startServer, type Server } from "../support/service/server.ts";

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

test("of many simultaneous saves of the same revision, one succeeds, and the others are refused", async () => {
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

test("simultaneous first saves all succeed and make one key", async () => {
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

test("one sentence names all that an external backend lacks, and the refusal's field is the first", async () => {
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
  assert.ok(await hasToken({ externalApiUrl: "https://b.example:8443", externalAuthToken: "again" }));
  assert.not(await hasToken({ externalApiUrl: "http://b.example:8443" }));
  assert.ok(await hasToken({ externalApiUrl: "http://b.example:8443", externalAuthToken: "again" }));
  assert.not(await hasToken({ externalAuthToken: "" }));
});

const shop = { id: "7", slug: "shop", name: "Shop", organizationSlug: "acme", organizationName: "Acme" };
const linked = {
  active: true,
  backend: Backend.EXTERNAL,
  externalApiUrl: "https://errors.example",
  externalAuthToken: "s3cret",
  externalProject: shop,
};
const settingsOf = async (id: number) => (await client.settings.getSettings({ projectId: id }, client.auth)).settings;
/** Another project than the test's. */
async function another(): Promise<number> {
  const { project } = await client.projects.createProject({ path: `saves/${++made}` }, client.auth);
  return project?.projectId ?? 0;
}
const saveIn = (id: number, change: Change) =>
  client.settings.updateSettings({ projectId: id, ...change }, client.auth);
/** A separate system for the test, because an external project can be linked only once in the installation. */
const ownSystem = () => ({ ...linked, externalApiUrl: `https://s${made}.example` });

test("an external project is linked once, however its address is written, active or not", async () => {
  const first = { ...linked, externalApiUrl: "https://once.example/base" };
  await save(first);
  const same: [what: string, change: Change][] = [
    ["the same", {}],
    ["not active", { active: false }],
    ["an upper case host, the default port and a slash", { externalApiUrl: "HTTPS://ONCE.example:443/base/" }],
    ["http instead of https", { externalApiUrl: "http://once.example/base" }],
    ["http with the port of https", { externalApiUrl: "http://once.example:443/base" }],
    ["the address of the API", { externalApiUrl: "https://once.example/base/api/0/" }],
    ["an address in the API", { externalApiUrl: "http://once.example/base/api/0/projects/acme/shop" }],
    ["a dot after the host", { externalApiUrl: "https://once.example./base" }],
    ["the id with other slugs", { externalProject: { ...shop, slug: "renamed", organizationSlug: "moved" } }],
    ["the slugs without the id", { externalProject: { ...shop, id: "" } }],
    ["the slugs in another case", { externalProject: { ...shop, id: "", slug: "Shop" } }],
  ];
  for (const [what, change] of same) {
    const id = await another();
    const refusal = await rejects(saveIn(id, { ...first, ...change }), "ALREADY_EXISTS");
    assert.is(refusal.reason, ErrorReason.EXTERNAL_PROJECT_TAKEN, what);
    assert.is(refusal.field, "external_project");
    assert.not.match(refusal.message, "saves/");
    await rejects(client.settings.getSettings({ projectId: id }, client.auth), "NOT_FOUND"); // nothing was saved
  }
  const others: [what: string, change: Change][] = [
    ["another id and slug", { externalProject: { ...shop, id: "8", slug: "web" } }],
    ["another organization", { externalProject: { ...shop, id: "9", organizationSlug: "globex" } }],
    ["another base path", { externalApiUrl: "https://once.example/other" }],
    ["another port", { externalApiUrl: "https://once.example:8443/base" }],
  ];
  for (const [what, change] of others) {
    assert.ok((await saveIn(await another(), { ...first, ...change })).settings?.active, what);
  }
  assert.ok((await save({ active: true })).settings?.active, "a project holds its own");
});

test("of two projects that are linked to one external project simultaneously, one wins", async () => {
  const change = ownSystem();
  const ids = [projectId, ...(await Promise.all(Array.from({ length: 9 }, another)))];
  const outcomes = await Promise.all(
    ids.map((id) =>
      saveIn(id, change).then(
        () => "linked",
        ({ reason }: CallError) => reason,
      ),
    ),
  );
  assert.is(outcomes.filter((outcome) => outcome === "linked").length, 1);
  assert.is(outcomes.filter((outcome) => outcome === ErrorReason.EXTERNAL_PROJECT_TAKEN).length, ids.length - 1);
});

test("the integrated backend frees the external project, and coming back to a taken one is refused", async () => {
  const change = ownSystem();
  await save(change);
  await save(integrated);
  const id = await another();
  assert.ok((await saveIn(id, change)).settings?.active);
  const refusal = await rejects(save({ backend: Backend.EXTERNAL }), "ALREADY_EXISTS");
  assert.is(refusal.reason, ErrorReason.EXTERNAL_PROJECT_TAKEN);
  assert.is((await settingsOf(projectId))?.backend, Backend.INTEGRATED);
  await saveIn(id, integrated);
  assert.ok((await save({ backend: Backend.EXTERNAL })).settings?.active);
});

test("a deleted project frees its external project, and is restored without it when another one took it", async () => {
  const change = ownSystem();
  await save(change);
  await client.projects.deleteProject({ projectId }, client.auth);
  const id = await another();
  await saveIn(id, change);
  await client.projects.restoreProject({ projectId }, client.auth);
  const restored = await settingsOf(projectId);
  assert.is(restored?.active, false);
  assert.is(restored?.externalProject, undefined);
  assert.is(restored?.externalApiUrl, change.externalApiUrl);
  assert.is(restored?.revision, 2);
  assert.ok((await settingsOf(id))?.externalProject, "the other one keeps it");
});

test("a project whose external project was not taken is restored unchanged", async () => {
  await save(ownSystem());
  const before = await settingsOf(projectId);
  await client.projects.deleteProject({ projectId }, client.auth);
  await client.projects.restoreProject({ projectId }, client.auth);
  assert.equal(await settingsOf(projectId), before);
});

test("another address takes the linked project along, unless one comes with it", async () => {
  const change = ownSystem();
  await save(change);
  const off = { active: false, externalApiUrl: `${change.externalApiUrl}:8443` };
  const moved = (await save(off)).settings;
  assert.is(moved?.externalProject, undefined);
  assert.is(moved?.hasExternalAuthToken, false);
  const again = (await save({ ...off, externalApiUrl: `${off.externalApiUrl}/base`, externalProject: shop })).settings;
  assert.is(again?.externalProject?.slug, "shop");
  assert.is(
    (await save({ active: false, externalApiUrl: `${off.externalApiUrl}/base/` })).settings?.externalProject?.slug,
    "shop",
  );
});

test("asterisks stand for the stored token, and for none at a new origin", async () => {
  const change = ownSystem();
  await save(change);
  const masked = { externalApiUrl: change.externalApiUrl, externalAuthToken: "************" };
  assert.ok((await save(masked)).settings?.hasExternalAuthToken);
  const moved = { active: false, ...masked, externalApiUrl: "https://elsewhere.example" };
  assert.is((await save(moved)).settings?.hasExternalAuthToken, false);
});

test("a token comes with the address it is for, or with the revision that was read", async () => {
  const { settings } = await save(ownSystem());
  const refusal = await rejects(save({ externalAuthToken: "another" }), "INVALID_ARGUMENT");
  assert.is(refusal.field, "external_auth_token");
  assert.ok((await save({ externalAuthToken: "another", revision: settings?.revision ?? 0 })).settings?.active);
});

for (const [what, token] of [
  ["a line break", "a\nb"],
  ["a space", "a b"],
  ["a letter that is not ASCII", "tökén"],
]) {
  test(`a token with ${what} is refused, and not repeated`, async () => {
    const refusal = await rejects(save({ ...ownSystem(), externalAuthToken: token ?? "" }), "INVALID_ARGUMENT");
    assert.is(refusal.field, "external_auth_token");
    assert.not(refusal.message.includes(token ?? ""));
  });
}

test("with Monitor off every call for errors is refused in words, and keys and settings still work", async () => {
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
