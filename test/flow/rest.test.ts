import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { assertAnswer } from "../support/assert/assert-answer.ts";
import { sharedServer } from "../support/service/flow.ts";
import { http } from "../support/http/http.ts";
import { createKey, createProject } from "../support/core/project.ts";
import { rest } from "../support/rest/rest.ts";
import { rootPassword, rootToken } from "../support/service/server.ts";
import { until } from "../support/run/until.ts";

const { server, client } = await sharedServer();
const project = await createProject(server);
const keys = `/projects/${project.id}/error_tracking/client_keys`;
const settings = `/projects/${project.id}/error_tracking/settings`;

/** A personal access token of the administrator. */
async function accessToken(scopes: string[], expiresInMs?: number): Promise<{ token: string; tokenId: number }> {
  const { sessionToken } = await client.accounts.signIn({ username: "root", password: rootPassword });
  const { token, accessToken: record } = await client.accounts.createAccessToken(
    { name: "test", scopes, ...(expiresInMs && { expiresTime: timestampFromMs(Date.now() + expiresInMs) }) },
    { token: sessionToken },
  );
  return { token, tokenId: record?.tokenId ?? 0 };
}

// 1.1 Tokens and common errors

for (const call of ["GET /projects", "POST /projects"])
  test(`${call} without a token is answered 401`, () =>
    assertAnswer(rest(server, call, { token: null }), 401, { message: "401 Unauthorized" }));

test("a token that is not known is answered 401", () =>
  assertAnswer(rest(server, `GET ${keys}`, { token: `${rootToken}x` }), 401, { message: "401 Unauthorized" }));

test("a token that is too long is answered 401", () =>
  assertAnswer(rest(server, `GET ${keys}`, { token: "flp_".padEnd(4_000, "x") }), 401, {
    message: "401 Unauthorized",
  }));

test("a revoked token is answered 401 and says so", async () => {
  const { token, tokenId } = await accessToken(["api"]);
  assert.is((await rest(server, `GET ${keys}`, { token })).status, 200);
  const { sessionToken } = await client.accounts.signIn({ username: "root", password: rootPassword });
  await client.accounts.revokeAccessToken({ tokenId }, { token: sessionToken });
  await assertAnswer(rest(server, `GET ${keys}`, { token }), 401, {
    error: "invalid_token",
    error_description: "Token was revoked. You have to re-authorize from the user.",
  });
});

test("an expired token is answered 401 and says so", async () => {
  const { token } = await accessToken(["api"], 1_000);
  const answer = await until("the expiry", async () => {
    const got = await rest(server, `GET ${keys}`, { token });
    return got.status === 401 && got;
  });
  assert.equal(answer.json, {
    error: "invalid_token",
    error_description: "Token is expired. You can either do re-authorization or token refresh.",
    reason: "TOKEN_EXPIRED",
  });
});

test("a token with the scope read_api reads and does not write", async () => {
  const { token } = await accessToken(["read_api"]);
  assert.is((await rest(server, `GET ${keys}`, { token })).status, 200);
  await assertAnswer(rest(server, `POST ${keys}`, { token }), 403, {
    error: "insufficient_scope",
    error_description: "The request requires higher privileges than provided by the access token.",
    scope: "api",
  });
});

test("a token is taken from the Authorization header as well", async () => {
  const answer = await http(`${server.url}/api/v4${keys}`, { headers: { Authorization: `Bearer ${rootToken}` } });
  assert.is(answer.status, 200, answer.text);
});

for (const call of [
  "GET /projects/4000000/error_tracking/client_keys",
  "POST /projects/4000000/error_tracking/client_keys",
  "DELETE /projects/4000000/error_tracking/client_keys/1",
  "GET /projects/4000000/error_tracking/settings",
  "GET /projects/no-such%2Fproject/error_tracking/client_keys",
])
  test(`${call}: no such project is answered 404`, () =>
    assertAnswer(rest(server, call), 404, { message: "404 Project Not Found" }));

test("an unknown route is answered 404", () =>
  assertAnswer(rest(server, "GET /no/such/route"), 404, { error: "404 Not Found" }));

test("a wrong method is answered 405", () =>
  assertAnswer(rest(server, `PATCH ${keys}`, { body: {} }), 405, { error: "405 Not Allowed" }));

test("a body of an unsupported type is answered 415", async () => {
  const answer = await http(`${server.url}/api/v4${settings}`, {
    method: "PATCH",
    headers: { "PRIVATE-TOKEN": rootToken, "Content-Type": "text/csv" },
    body: "active,true",
  });
  assert.is(answer.status, 415, answer.text);
});

// Projects

test("a project is created with 201, listed, and found by its encoded path", async () => {
  const created = await rest(server, "POST /projects", { body: { name: "Web shop", path: "acme/web" } });
  assert.is(created.status, 201, created.text);
  const { id, name } = created.json as { id: number; name: string };
  assert.is(name, "Web shop");
  const list = await rest(server, "GET /projects");
  assert.is(list.status, 200);
  assert.ok((list.json as { id: number }[]).some((listed) => listed.id === id));
  const byPath = await rest(server, "POST /projects/acme%2Fweb/error_tracking/client_keys");
  assert.is(byPath.status, 201, byPath.text);
  assert.equal((await rest(server, `GET /projects/${id}/error_tracking/client_keys`)).json, [byPath.json]);
});

test("a project without a path is answered 400", async () => {
  const answer = await rest(server, "POST /projects", { body: {} });
  assert.is(answer.status, 400, answer.text);
});

// 1.2 Client keys

test("a key is created with 201, listed, and deleted with 200 and the deleted key", async () => {
  const created = await rest(server, `POST ${keys}`);
  assert.is(created.status, 201, created.text);
  const key = created.json as Record<string, unknown>;
  const { host } = new URL(server.url);
  assert.match(String(key["public_key"]), /^flck_[0-9a-f]{32}$/);
  assert.is(key["active"], true);
  assert.is(key["sentry_dsn"], `http://${key["public_key"] as string}@${host}/${project.id}`);
  assert.match(
    String(key["legacy_dsn"]),
    new RegExp(`^http://${key["public_key"] as string}:[0-9a-f]{32}@${host}/${project.id}$`),
  );

  const list = (await rest(server, `GET ${keys}`)).json as { id: number }[];
  assert.equal(
    list.find(({ id }) => id === key["id"]),
    key,
  );
  const deleted = await rest(server, `DELETE ${keys}/${key["id"] as number}`);
  assert.is(deleted.status, 200, deleted.text);
  assert.equal(deleted.json, key);
  const left = (await rest(server, `GET ${keys}`)).json as { id: number }[];
  assert.not.ok(left.some(({ id }) => id === key["id"]));
});

test("deleting a key twice, or a key of another project, is answered 404", async () => {
  const other = await createProject(server);
  const { keyId } = await createKey(server, project.id);
  await assertAnswer(rest(server, `DELETE /projects/${other.id}/error_tracking/client_keys/${keyId}`), 404, {
    message: "404 Not found",
  });
  assert.is((await rest(server, `DELETE ${keys}/${keyId}`)).status, 200);
  await assertAnswer(rest(server, `DELETE ${keys}/${keyId}`), 404, { message: "404 Not found" });
});

test("a key id that is not a number is refused", async () => {
  const answer = await rest(server, `DELETE ${keys}/abc`);
  assert.ok(answer.status === 400 || answer.status === 404, answer.text);
});

test("keys can be made for a project that was never set up", async () => {
  const created = await rest(server, "POST /projects", { body: { name: "bare", path: "bare" } });
  const { id } = created.json as { id: number };
  assert.is((await rest(server, `POST /projects/${id}/error_tracking/client_keys`)).status, 201);
});

test("keys come in pages with the headers that say where one is", async () => {
  const { id } = await createProject(server);
  const path = `/projects/${id}/error_tracking/client_keys`;
  const { length } = (await rest(server, `GET ${path}`)).json as unknown[];
  for (let count = length; count < 5; count += 1) await createKey(server, id);
  const second = await rest(server, `GET ${path}?page=2&per_page=2`);
  assert.is((second.json as unknown[]).length, 2);
  const wanted = { total: "5", "total-pages": "3", "per-page": "2", page: "2", "next-page": "3", "prev-page": "1" };
  for (const [name, value] of Object.entries(wanted)) assert.is(second.headers[`x-${name}`], value, name);
  for (const rel of ["prev", "next", "first", "last"]) assert.match(String(second.headers["link"]), `rel="${rel}"`);
  const last = await rest(server, `GET ${path}?page=3&per_page=2`);
  assert.is((last.json as unknown[]).length, 1);
  assert.is(last.headers["x-next-page"], "");
});

// 1.3 Settings

const integratedSettings = { project_name: null, sentry_external_url: null, api_url: null, integrated: true };

/** Asserts that settings are answered, and that their body begins with the five fields of the original, in its order. */
async function assertSettings(answer: ReturnType<typeof rest>, first: object): Promise<void> {
  const { status, json, text } = await answer;
  assert.is(status, 200, text);
  assert.equal(Object.entries(json as object).slice(0, 5), Object.entries(first));
}

test("settings of a project that was never set up are answered 404, and PUT makes them and the first key", async () => {
  const created = await rest(server, "POST /projects", { body: { name: "fresh", path: "fresh" } });
  const { id } = created.json as { id: number };
  const path = `/projects/${id}/error_tracking/settings`;
  const absent = { message: "404 Error Tracking Setting Not Found" };
  await assertAnswer(rest(server, `GET ${path}`), 404, absent);
  await assertAnswer(rest(server, `PATCH ${path}`, { body: { active: true } }), 404, absent);
  const made = { active: true, ...integratedSettings };
  await assertSettings(rest(server, `PUT ${path}`, { body: { active: true, integrated: true } }), made);
  await assertSettings(rest(server, `GET ${path}`), made);
  const madeKeys = await rest(server, `GET /projects/${id}/error_tracking/client_keys`);
  assert.is((madeKeys.json as unknown[]).length, 1);
});

test("PATCH turns tracking off and on", async () => {
  const { id } = await createProject(server);
  const path = `/projects/${id}/error_tracking/settings`;
  for (const active of [false, true])
    await assertSettings(rest(server, `PATCH ${path}`, { body: { active } }), { active, ...integratedSettings });
});

test("settings come as query, form or JSON", async () => {
  const { id } = await createProject(server);
  const path = `/projects/${id}/error_tracking/settings`;
  const off = { active: false, ...integratedSettings };
  await assertSettings(rest(server, `PATCH ${path}?active=false`), off);
  const form = http(`${server.url}/api/v4${path}`, {
    method: "PUT",
    headers: { "PRIVATE-TOKEN": rootToken, "Content-Type": "application/x-www-form-urlencoded" },
    body: "active=true&integrated=true",
  });
  await assertSettings(form, { ...off, active: true });
});

const invalid: [call: "PATCH" | "PUT", body: Record<string, unknown>, error: string][] = [
  ["PATCH", {}, "active is missing"],
  ["PATCH", { active: "randomstring" }, "active is invalid"],
  ["PATCH", { active: "" }, "active is empty"],
  ["PATCH", { active: true, integrated: "maybe" }, "integrated is invalid"],
  ["PUT", { active: true }, "integrated is missing"],
  ["PUT", { active: true, integrated: "x" }, "integrated is invalid"],
];
for (const [method, body, error] of invalid)
  test(`${method} settings with ${JSON.stringify(body)} is answered 400: ${error}`, () =>
    assertAnswer(rest(server, `${method} ${settings}`, { body }), 400, { error }));

test("a body that is not JSON is answered 400", async () => {
  const answer = await http(`${server.url}/api/v4${settings}`, {
    method: "PATCH",
    headers: { "PRIVATE-TOKEN": rootToken, "Content-Type": "application/json" },
    body: '{"active":',
  });
  assert.is(answer.status, 400, answer.text);
});

test("a settings update that fails is answered 400 with a reason, and changes nothing", async () => {
  const answer = await rest(server, `PUT ${settings}`, { body: { active: true, integrated: false } });
  assert.is(answer.status, 400, answer.text);
  assert.match(String((answer.json as { message?: string }).message), /\w+ \w+/);
  await assertSettings(rest(server, `GET ${settings}`), { active: true, ...integratedSettings });
});

test.run();
