import { ErrorStatus, Role } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { routes } from "../../../plugins/sentry-api/src/routes.ts";
import { pathOf } from "../../../plugins/sentry-api/src/slugs.ts";
import { uploadRoutes } from "../../../plugins/source-maps/src/sentry/routes.ts";
import { dayMs, movableFaultline, signIn } from "../../support/service/movable-faultline.ts";
import { newMember, newPerson } from "../../support/core/person.ts";
import { createProject } from "../../support/core/project.ts";
import { newEventId, sendEvent } from "../../support/sentry/send.ts";
import { webApi } from "../../support/external/web-api.ts";

const { client, faultline, clock } = await movableFaultline();
const server = { url: faultline.httpUrl };
const project = await createProject(server);
const projectId = project.id;
await client.projects.updateProject({ projectId, path: "acme/web" }, client.auth);
const eventId = newEventId();
await sendEvent(server, project, { event_id: eventId, message: "stored" });
const { errors } = await client.errors.listErrors({ projectId }, client.auth);
const errorId = errors[0]?.errorId ?? "";

const parts: Record<string, string> = { organization: "acme", project: "web", issue: errorId, event: eventId };
const filled = (path: string) => `${path.slice("/api/0".length).replace(/:(\w+)/g, (_, name) => parts[name] ?? "")}/`;
const calls = routes(() => 0).flatMap(({ path, methods }) =>
  Object.keys(methods).map((method) => ({ call: `${method} ${filled(path)}`, method, path })),
);
const withStatus = (method: string) => (method === "PUT" ? { body: { status: "unresolved" } } : {});
const withId = (call: string) => (call.startsWith("PUT") && call.endsWith("/issues/") ? `${call}?id=${errorId}` : call);

test.before.each(() => {
  clock.at += 60_000; // the wrong tokens of the tests before are forgiven
});

test("there are routes to try", () => assert.ok(calls.length > 20, String(calls.length)));

for (const { call, method } of calls.filter(({ path }) => path !== "/api/0")) {
  test(`${call} is refused without a token, and with one that nobody has`, async () => {
    const none = await webApi(server, withId(call), { ...withStatus(method), token: null });
    assert.is(none.status, 401);
    assert.equal(none.json, { detail: "Authentication credentials were not provided." });
    const wrong = await webApi(server, withId(call), { ...withStatus(method), token: "sntryu_0123456789abcdef" });
    assert.is(wrong.status, 401);
    assert.equal(wrong.json, { detail: "Invalid token" });
  });

  test(`${call} answers the administrator`, async () => {
    const { status, text } = await webApi(server, withId(call), withStatus(method));
    assert.is(status, 200, text);
  });
}

for (const { call } of calls)
  test(`${call} refuses a parameter that it does not understand, with a sentence`, async () => {
    const asked = `${withId(call)}${withId(call).includes("?") ? "&" : "?"}unheardOf=1`;
    const { status, json } = await webApi(server, asked, withStatus(call.split(" ")[0] ?? ""));
    assert.is(status, 400);
    assert.match((json as { detail: string }).detail, /^The parameter unheardOf is not supported at this address\. /);
    const presented = `${withId(call)}${withId(call).includes("?") ? "&" : "?"}collapse=stats&expand=owners&shortIdLookup=1`;
    assert.is((await webApi(server, presented, withStatus(call.split(" ")[0] ?? ""))).status, 200);
  });

/** Addresses to which Sentry's tools upload. Addresses of releases answer 410 to everything. */
const uploads = uploadRoutes(pathOf)
  .filter(({ path }) => !path.includes("/releases/"))
  .flatMap(({ path, methods }) => Object.keys(methods).map((method) => `${method} ${filled(path)}`));

test("each address of uploads refuses a parameter that it does not understand, and ignores what the others ignore", async () => {
  assert.is(uploads.length, 5);
  for (const call of uploads) {
    const { status, json } = await webApi(server, `${call}?unheardOf=1`);
    const { detail } = json as { detail: string };
    assert.equal([call, status], [call, 400]);
    assert.match(
      detail,
      /^The parameter unheardOf is not supported at this address\. Leave it out\. It accepts none\.$/,
    );
    const presented = await webApi(server, `${call}?collapse=stats`);
    assert.not.match(presented.text, "collapse");
  }
});

/** Lists that are empty where one may see nothing. */
const lists = ["GET /organizations/", "GET /projects/"];

test("strangers find nothing: hidden and missing projects and issues answer the same", async () => {
  const { token } = await newPerson(client);
  for (const { call, path } of calls.filter(({ path: named }) => named !== "/api/0")) {
    const hidden = await webApi(server, withId(call), { ...withStatus(call.split(" ")[0] ?? ""), token });
    if (lists.includes(call)) {
      assert.equal([call, hidden.json], [call, []]);
      continue;
    }
    const missing = withId(call).replace("acme", "acne").replace("/web", "/wep").replace(`/${errorId}/`, "/999999/");
    const gone = await webApi(server, missing, { ...withStatus(call.split(" ")[0] ?? ""), token });
    assert.equal([path, hidden.status, hidden.json], [path, 404, { detail: "The requested resource does not exist" }]);
    assert.equal([path, gone.status, gone.json], [path, hidden.status, hidden.json]);
  }
});

test("Guests see the project, and neither its issues nor their events", async () => {
  const { token } = await newMember(client, projectId, Role.GUEST);
  assert.equal((await webApi(server, "GET /projects/", { token })).json, []);
  const shown = await webApi(server, "GET /projects/acme/web/", { token });
  assert.is((shown.json as { hasAccess: boolean }).hasAccess, false);
  for (const call of ["GET /projects/acme/web/issues/", `GET /projects/acme/web/events/${eventId}/`]) {
    const { status, json } = await webApi(server, call, { token });
    assert.equal([status, json], [403, { detail: "You do not have permission to perform this action." }]);
  }
  // People who may not read a project's errors cannot learn from an id whether an error exists.
  assert.is((await webApi(server, `GET /issues/${errorId}/`, { token })).status, 404);
});

for (const [who, role, scopes, readStatus, writeStatus, listed] of [
  ["a Reporter", Role.REPORTER, ["api"], 200, 403, ["event:read", "project:read"]],
  ["a Developer", Role.DEVELOPER, ["api"], 200, 200, ["event:read", "event:write", "project:read"]],
  ["a Developer whose token only reads", Role.DEVELOPER, ["read_api"], 200, 403, undefined],
] as const) {
  test(`${who} reads: ${readStatus}, and sets a status: ${writeStatus}`, async () => {
    const { token } = await newMember(client, projectId, role, [...scopes]);
    for (const { call, method } of calls.filter(({ path }) => path !== "/api/0")) {
      const { status, json } = await webApi(server, withId(call), { ...withStatus(method), token });
      assert.equal([call, status], [call, method === "GET" ? readStatus : writeStatus]);
      if (status === 403) assert.equal(json, { detail: "You do not have permission to perform this action." });
    }
    if (!listed) return;
    const [shown] = (await webApi(server, "GET /projects/", { token })).json as { access: string[] }[];
    assert.equal(shown?.access.toSorted(), listed);
  });
}

test("if one of two projects is only readable, nothing is changed", async () => {
  const second = await createProject(server);
  await client.projects.updateProject({ projectId: second.id, path: "acme/read-only" }, client.auth);
  await sendEvent(server, second, { event_id: newEventId(), message: "stored" });
  const [stored] = (await client.errors.listErrors({ projectId: second.id }, client.auth)).errors;
  const { userId, token } = await newMember(client, projectId, Role.DEVELOPER);
  await client.members.addMember({ projectId: second.id, userId, role: Role.REPORTER }, client.auth);
  const ids = `id=${errorId}&id=${stored?.errorId}`;
  const body = { status: "resolved" };
  assert.is((await webApi(server, `PUT /organizations/acme/issues/?${ids}`, { body, token })).status, 403);
  const { error } = await client.errors.getError({ projectId, errorId }, client.auth);
  assert.is(error?.status, ErrorStatus.UNRESOLVED);
  await client.projects.deleteProject({ projectId: second.id }, client.auth);
});

test("the root returns the caller and the token's scopes", async () => {
  const nobody = await webApi(server, "GET /", { token: null });
  assert.equal([nobody.status, nobody.json], [200, { version: "0", auth: null, user: null }]);
  const scopes = async (token: string) => {
    const { status, json } = await webApi(server, "GET /", { token });
    return status === 200 ? (json as { auth: { scopes: string[] } }).auth.scopes : status;
  };
  const reading = ["event:read", "org:read", "project:read"];
  assert.equal(await scopes((await newPerson(client)).token), [
    "event:read",
    "event:write",
    "org:read",
    "project:read",
  ]);
  assert.equal(await scopes((await newPerson(client, { scopes: ["read_api"] })).token), reading);
  assert.equal(await scopes((await signIn(client)).token), ["event:read", "event:write", "org:read", "project:read"]);
  assert.equal(await scopes("flp_nobody"), 401);
});

test("an expired or revoked token is refused from the next call on", async () => {
  const session = await signIn(client);
  const expires = clock.at + 2 * dayMs;
  const made = async (expiresAt?: number) =>
    client.accounts.createAccessToken(
      {
        name: "short",
        scopes: ["api"],
        ...(expiresAt && { expiresTime: { seconds: BigInt(expiresAt / 1000), nanos: 0 } }),
      },
      session,
    );
  const short = await made(expires);
  const revoked = await made();
  const ask = async (token: string) => {
    const { status, json } = await webApi(server, "GET /projects/", { token });
    return status === 200 ? status : [status, json];
  };
  assert.is(await ask(short.token), 200);
  assert.is(await ask(revoked.token), 200);
  await client.accounts.revokeAccessToken({ tokenId: revoked.accessToken?.tokenId ?? 0 }, client.auth);
  assert.equal(await ask(revoked.token), [401, { detail: "Invalid token" }]);
  clock.at = expires;
  assert.equal(await ask(short.token), [401, { detail: "Token expired" }]);
});

test("if Monitor or error tracking is off, the answer says so to anyone who sees the project", async () => {
  const off = await createProject(server);
  const { project: made } = await client.projects.getProject(
    { key: { case: "projectId", value: off.id } },
    client.auth,
  );
  const ask = async () => {
    const { status, json } = await webApi(server, `GET /projects/-/${made?.path}/issues/`);
    const list = (await webApi(server, "GET /projects/")).json as { id: string }[];
    return [status, json, list.some(({ id }) => id === String(off.id))];
  };
  assert.equal(await ask(), [200, [], true]);
  await client.projects.updateProject({ projectId: off.id, monitorEnabled: false }, client.auth);
  const [status, json, isListed] = await ask();
  assert.is(status, 404);
  assert.match((json as { detail: string }).detail, /^Monitor is turned off for this project/);
  assert.is(isListed, false);
});

test.run();
