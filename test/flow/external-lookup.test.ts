import { toJson } from "@bufbuild/protobuf";
import { Backend, ErrorReason, ExternalProjectSchema, Role } from "@faultline/proto";
import type { status } from "@grpc/grpc-js";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { withoutReason } from "../support/assert/assert-answer.ts";
import { fakeExternal, type FakeAnswer } from "../support/external/fake-external.ts";
import { runningServer } from "../support/service/flow.ts";
import { http } from "../support/http/http.ts";
import { newMember, newPerson, personPassword, type Person } from "../support/core/person.ts";
import { rejects } from "../support/assert/rejects.ts";
import { rest } from "../support/rest/rest.ts";

const projects = [
  { id: "11", slug: "shop", name: "Shop", organization: "acme", status: "active" },
  { id: "12", slug: "web", name: "Web", organization: "acme", status: "active" },
];
const systems = await Promise.all(Array.from({ length: 4 }, () => fakeExternal({ projects })));
const [external] = systems as [(typeof systems)[number]];
const { server, client } = await runningServer({
  env: {
    FAULTLINE_OUTBOUND_NETWORKS: "127.0.0.0/8",
    FAULTLINE_OUTBOUND_PORTS: systems.map(({ port }) => port).join(","),
  },
});
test.after(async () => {
  for (const system of systems) await system.close();
});
/** Each test has a separate token, so that no two lookups share one. */
const newToken = () => external.newToken();

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
  ["a token with a line break", address, "tttt\n", ErrorReason.INVALID_FIELD, "external_auth_token"],
  ["an address of a private network", "http://10.0.0.1", "tttt", ErrorReason.EXTERNAL_ADDRESS_REFUSED, ""],
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

test("a lookup returns the projects with their organizations and states, and warns of nothing", async () => {
  const answer = await lookUp(external.url, newToken());
  assert.equal(
    answer.externalProjects.map((one) => toJson(ExternalProjectSchema, one)),
    projects.map(({ id, slug, name, status: state }) => ({
      id,
      slug,
      name,
      status: state,
      organizationSlug: "acme",
      organizationName: "Acme Works",
      organizationId: "1",
    })),
  );
  assert.equal(answer.warnings, []);
});

test("a lookup warns of a missing scope, of no old version, and still returns the projects", async () => {
  external.setScopes(["project:read", "event:read"]);
  external.setVersion("21.4.1");
  try {
    const { externalProjects, warnings } = await lookUp(external.url, newToken());
    assert.is(externalProjects.length, 2);
    assert.ok(
      warnings.some((warning) => warning.includes("event:write")),
      warnings.join(),
    );
    assert.is(warnings.length, 1, warnings.join());
  } finally {
    external.setScopes(["project:read", "event:read", "event:write"]);
    external.setVersion("25.1.0");
  }
});

type Failure = [what: string, answer: FakeAnswer, code: keyof typeof status, reason: ErrorReason, message: string];
const { EXTERNAL_TOKEN_REFUSED, EXTERNAL_UNREACHABLE, EXTERNAL_ANSWER_INVALID, EXTERNAL_RATE_LIMITED } = ErrorReason;
const statusCode = (code: number) => `Sentry response status code: ${code}`;
const html = { headers: { "Content-Type": "text/html" }, body: "<html>tttt</html>" };
const limited = { status: 429, headers: { "Retry-After": "7" } };
const failures: Failure[] = [
  ["401", { status: 401 }, "FAILED_PRECONDITION", EXTERNAL_TOKEN_REFUSED, statusCode(401)],
  ["403", { status: 403 }, "FAILED_PRECONDITION", EXTERNAL_TOKEN_REFUSED, statusCode(403)],
  ["500", { status: 500 }, "UNAVAILABLE", EXTERNAL_UNREACHABLE, statusCode(500)],
  ["302", { status: 302, headers: { Location: "/" } }, "FAILED_PRECONDITION", EXTERNAL_ANSWER_INVALID, statusCode(302)],
  ["HTML", html, "FAILED_PRECONDITION", EXTERNAL_ANSWER_INVALID, "Unexpected Error"],
  ["429 for 7 seconds", limited, "RESOURCE_EXHAUSTED", EXTERNAL_RATE_LIMITED, statusCode(429)],
];
for (const [what, answer, code, reason, message] of failures) {
  test(`a system that answers ${what} ends the lookup in the recorded words, here and in projects.json`, async () => {
    external.answerWith(answer);
    try {
      const refusal = await rejects(lookUp(external.url, newToken()), code);
      assert.is(refusal.reason, reason);
      assert.is(refusal.message, message);
      if (answer === limited) assert.is(refusal.retryAfterSeconds, 7);
      const byHttp = await askJson(external.url, newToken(), as(people.maintainer));
      assert.is(byHttp.status, 400);
      assert.equal(withoutReason(byHttp.json), { message: refusal.message });
    } finally {
      external.answerAsUsual();
    }
  });
}

test("the stored token is used for its own origin only, whatever the path", async () => {
  const { project: other } = await client.projects.createProject({ path: "lookup/stored" }, client.auth);
  const stored = { projectId: other?.projectId ?? 0 };
  const kept = newToken();
  await client.settings.updateSettings(
    {
      ...stored,
      active: true,
      backend: Backend.EXTERNAL,
      externalApiUrl: external.url,
      externalAuthToken: kept,
      externalProject: { id: "11", slug: "shop", organizationSlug: "acme" },
    },
    client.auth,
  );
  const ask = (externalApiUrl: string, externalAuthToken = "") =>
    client.settings.listExternalProjects({ ...stored, externalApiUrl, externalAuthToken }, client.auth);
  for (const same of ["", external.url, `${external.url}/`]) {
    for (const token of ["", "********"]) assert.is((await ask(same, token)).externalProjects.length, 2);
  }
  assert.ok(external.saw(kept));
  for (const { url } of systems.slice(1)) {
    assert.is((await rejects(ask(url), "INVALID_ARGUMENT")).field, "external_auth_token", url);
    assert.is((await rejects(ask(url, "***"), "INVALID_ARGUMENT")).field, "external_auth_token", url);
  }
  for (const url of [external.url.replace("http:", "https:"), "http://127.0.0.1:9", "http://127.0.0.1.example"]) {
    assert.is((await rejects(ask(url), "INVALID_ARGUMENT")).field, "external_auth_token", url);
  }
  for (const system of systems.slice(1)) assert.not(system.saw(kept));
});

test("A28: simultaneous saves never combine the address of one with the token of another", async () => {
  const { project: raced } = await client.projects.createProject({ path: "lookup/raced" }, client.auth);
  const ofRaced = { projectId: raced?.projectId ?? 0 };
  const save = (change: object) => client.settings.updateSettings({ ...ofRaced, ...change }, client.auth);
  const tokens = systems.map((system) => system.newToken());
  await save({ backend: Backend.EXTERNAL });
  for (const [round, { url }] of systems.entries()) {
    await save({ externalApiUrl: url, externalAuthToken: tokens[round] });
    // Whole saves, addresses alone and tokens alone, none of them with a revision; another kind is last in each round.
    const saves = systems.flatMap((system, n) => [
      { externalApiUrl: system.url, externalAuthToken: tokens[n] },
      { externalApiUrl: systems[(n + round) % systems.length]?.url },
      { externalAuthToken: tokens[n] },
    ]);
    await Promise.allSettled([...saves.slice(round), ...saves.slice(0, round)].map(save));
    await client.settings.listExternalProjects(ofRaced, client.auth).catch(() => undefined); // the token may be gone
  }
  for (const [n, { url }] of systems.entries()) {
    await save({ externalApiUrl: url, externalAuthToken: tokens[n] });
    assert.is((await client.settings.listExternalProjects(ofRaced, client.auth)).externalProjects.length, 2);
  }
  for (const [n, system] of systems.entries()) {
    assert.ok(system.saw(tokens[n] ?? ""));
    for (const foreign of tokens.toSpliced(n, 1)) assert.not(system.saw(foreign));
  }
});

test("a user looks up 30 times a minute, and the refusal says when to continue", async () => {
  const busy = await newMember(client, projectId, Role.MAINTAINER);
  const token = newToken();
  for (let n = 0; n < 30; n++) await lookUp(external.url, token, busy);
  const refusal = await rejects(lookUp(external.url, token, busy), "RESOURCE_EXHAUSTED");
  assert.is(refusal.reason, ErrorReason.TOO_MANY_ATTEMPTS);
  const { status, headers } = await askJson(external.url, token, as(busy));
  assert.is(status, 429);
  assert.is(headers["retry-after"], "60");
  assert.is((await lookUp(external.url, token)).externalProjects.length, 2, "others are not held up");
});

// The address of the specification, 4.3.
type Headers = Readonly<Record<string, string>>;
const askJson = (apiHost: string, token: string, headers: Headers) =>
  http(`${server.url}/${path}/-/error_tracking/projects.json?${new URLSearchParams({ api_host: apiHost, token })}`, {
    headers,
  });
const get = (headers: Headers = {}) => askJson(external.url, newToken(), headers);
const as = ({ token }: Person) => ({ "PRIVATE-TOKEN": token });
const cookieOf = async (username: string, password = personPassword) => {
  const { sessionToken } = await client.accounts.signIn({ username, password });
  return `faultline_session=${sessionToken}`;
};
const monitor = (monitorEnabled: boolean) => client.projects.updateProject({ projectId, monitorEnabled }, client.auth);

test("projects.json returns the projects in the form of the original, by token and by cookie", async () => {
  const { token } = people.maintainer;
  const cookie = await cookieOf(people.maintainer.username);
  for (const headers of [
    as(people.maintainer),
    { Authorization: `Bearer ${token}` },
    { Cookie: cookie, "Sec-Fetch-Site": "same-origin" },
  ]) {
    const { status, json, headers: answered } = await get(headers);
    assert.is(status, 200);
    assert.equal(json, {
      projects: projects.map(({ id, slug, name, status: state }) => ({
        id,
        slug,
        name,
        status: state,
        organization_name: "Acme Works",
        organization_id: "1",
        organization_slug: "acme",
      })),
    });
    assert.is(answered["cache-control"], "no-store");
  }
});

test("projects.json answers 400 in words if the address or token is unusable", async () => {
  for (const [apiHost, token, says] of [
    ["nowhere", "t", "Enter the host name"],
    [external.url, "", "Enter the auth token first."],
    ["http://10.0.0.1", "t", "Sentry request failed due to BlockedUrlError"],
  ]) {
    const { status, json } = await askJson(apiHost ?? "", token ?? "", as(people.maintainer));
    assert.is(status, 400);
    assert.ok((json as { message: string }).message.startsWith(says ?? "?"), JSON.stringify(json));
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

test("with Monitor off the lookup is 404 without a body, while REST still lists client keys", async () => {
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

test("the external system got only calls of a well-behaved client", () => {
  assert.equal(
    systems.flatMap(({ complaints }) => complaints),
    [],
  );
});

test.run();
