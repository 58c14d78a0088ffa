import { Backend, ErrorReason, Role } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { runningServer } from "../support/flow.ts";
import { http } from "../support/http.ts";
import { newMember, newPerson, personPassword, type Person } from "../support/person.ts";
import { rejects } from "../support/rejects.ts";
import { rest } from "../support/rest.ts";

const { server, client } = await runningServer();

const address = "https://errors.example";
const path = "lookup/web";
const { project } = await client.projects.createProject({ path }, client.auth);
const projectId = project?.projectId ?? 0;
const people = {
  maintainer: await newMember(client, projectId, Role.MAINTAINER),
  developer: await newMember(client, projectId, Role.DEVELOPER),
  stranger: await newPerson(client),
};

const lookUp = (externalApiUrl: string, externalAuthToken: string, { token }: { token: string } = people.maintainer) =>
  client.settings.listExternalProjects({ projectId, externalApiUrl, externalAuthToken }, { token });

const refusals: [what: string, url: string, token: string, reason: ErrorReason, field: string][] = [
  ["an address without a scheme", "errors.example", "t", ErrorReason.INVALID_FIELD, "external_api_url"],
  ["no address, given or stored", "", "t", ErrorReason.INVALID_FIELD, "external_api_url"],
  ["no token, given or stored", address, "", ErrorReason.INVALID_FIELD, "external_auth_token"],
  ["asterisks for a token that is not stored", address, "****", ErrorReason.INVALID_FIELD, "external_auth_token"],
  ["a token of 1,025 characters", address, "t".repeat(1025), ErrorReason.INVALID_FIELD, "external_auth_token"],
  ["a backend that cannot look up", address, "t", ErrorReason.EXTERNAL_LOOKUP_FAILED, ""],
];
for (const [what, url, token, reason, field] of refusals) {
  test(`a lookup is refused in words: ${what}`, async () => {
    const code = reason === ErrorReason.INVALID_FIELD ? "INVALID_ARGUMENT" : "FAILED_PRECONDITION";
    const refusal = await rejects(lookUp(url, token), code);
    assert.is(refusal.reason, reason);
    assert.is(refusal.field, field);
    assert.not.match(refusal.message, "tttt");
  });
}

test("less than a Maintainer may not look up, and a stranger finds no project", async () => {
  assert.is((await rejects(lookUp(address, "t", people.developer), "PERMISSION_DENIED")).reason, ErrorReason.FORBIDDEN);
  await rejects(lookUp(address, "t", people.stranger), "NOT_FOUND");
});

test("the stored token is used for its own origin only, whatever the path", async () => {
  const { project: other } = await client.projects.createProject({ path: "lookup/stored" }, client.auth);
  const stored = { projectId: other?.projectId ?? 0 };
  const externalProject = { slug: "shop" };
  await client.settings.updateSettings(
    {
      ...stored,
      active: true,
      backend: Backend.EXTERNAL,
      externalApiUrl: address,
      externalAuthToken: "kept",
      externalProject,
    },
    client.auth,
  );
  const ask = (externalApiUrl: string, externalAuthToken = "") =>
    client.settings.listExternalProjects({ ...stored, externalApiUrl, externalAuthToken }, client.auth);
  for (const same of ["", address, `${address}/base`]) {
    for (const token of ["", "********"]) {
      assert.is((await rejects(ask(same, token), "FAILED_PRECONDITION")).reason, ErrorReason.EXTERNAL_LOOKUP_FAILED);
    }
  }
  for (const url of ["http://errors.example", "https://errors.example.org", "https://errors.example:8443"]) {
    assert.is((await rejects(ask(url), "INVALID_ARGUMENT")).field, "external_auth_token", url);
  }
});

// The address of the specification, 4.3.
const lookupAddress = `${server.url}/${path}/-/error_tracking/projects.json?api_host=${encodeURIComponent(address)}&token=t`;
const get = (headers: Readonly<Record<string, string>> = {}) => http(lookupAddress, { headers });
const as = ({ token }: Person) => ({ "PRIVATE-TOKEN": token });
const cookieOf = async (username: string, password = personPassword) => {
  const { sessionToken } = await client.accounts.signIn({ username, password });
  return `faultline_session=${sessionToken}`;
};
const monitor = (monitorEnabled: boolean) => client.projects.updateProject({ projectId, monitorEnabled }, client.auth);

test("projects.json answers a failed lookup with 400 and its cause, by token and by cookie alike", async () => {
  const { token } = people.maintainer;
  const cookie = await cookieOf(people.maintainer.username);
  for (const headers of [
    as(people.maintainer),
    { Authorization: `Bearer ${token}` },
    { Cookie: cookie, "Sec-Fetch-Site": "same-origin" },
  ]) {
    const { status, json, headers: answered } = await get(headers);
    assert.is(status, 400);
    assert.match((json as { message: string }).message, /external error-tracking system/);
    assert.is(answered["cache-control"], "no-store");
  }
});

test("projects.json takes a cookie from our own pages only", async () => {
  const cookie = await cookieOf(people.maintainer.username);
  for (const site of ["none", "cross-site", "same-site", undefined]) {
    const { status } = await get({ Cookie: cookie, ...(site && { "Sec-Fetch-Site": site }) });
    assert.is(status, 403, site);
  }
});

test("projects.json is 401 without a token, 403 for a Developer and 404 with no body for a stranger", async () => {
  assert.is((await get()).status, 401);
  assert.is((await get({ "PRIVATE-TOKEN": "flp_unknown" })).status, 401);
  assert.is((await get(as(people.developer))).status, 403);
  const { status, text } = await get(as(people.stranger));
  assert.is(status, 404);
  assert.is(text, "");
});

test("with Monitor off the lookup is 404 with no body, while REST goes on listing client keys", async () => {
  await monitor(false);
  try {
    const { status, text } = await get(as(people.maintainer));
    assert.is(status, 404);
    assert.is(text, "");
    assert.is((await rejects(lookUp(address, "t"), "FAILED_PRECONDITION")).reason, ErrorReason.MONITOR_DISABLED);
    const keys = await rest(server, `GET /projects/${projectId}/error_tracking/client_keys`, people.maintainer);
    assert.is(keys.status, 200);
  } finally {
    await monitor(true);
  }
});

test.run();
