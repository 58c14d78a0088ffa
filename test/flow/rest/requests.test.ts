import { test } from "uvu";
import * as assert from "uvu/assert";
import { answered, assertAnswer, withoutReason } from "../../support/assert/assert-answer.ts";
import { sharedServer } from "../../support/service/flow.ts";
import { http } from "../../support/http/http.ts";
import { newPerson, personPassword } from "../../support/core/person.ts";
import { createProject } from "../../support/core/project.ts";
import { restOperations } from "../../permissions/operations.ts";
import { rest } from "../../support/rest/rest.ts";
import { rootToken } from "../../support/service/server.ts";

const { server, client } = await sharedServer();
const project = await createProject(server);
const person = await newPerson(client);

type Body = Record<string, unknown> & { readonly id: number };

// Where a token may stand

const get = (path: string, headers: Record<string, string> | string[]) =>
  http(`${server.url}/api/v4${path}`, { headers });
const unauthorized = { message: "401 Unauthorized" };

for (const name of ["private_token", "access_token", "token", "job_token"])
  test(`a token in the query as ${name} is not taken`, () =>
    assertAnswer(get(`/user?${name}=${rootToken}`, {}), 401, unauthorized));

const headers: [claim: string, headers: string[], status: number][] = [
  ["one PRIVATE-TOKEN", ["PRIVATE-TOKEN", rootToken], 200],
  ["one Authorization", ["Authorization", `Bearer ${rootToken}`], 200],
  ["both with the same token", ["PRIVATE-TOKEN", rootToken, "Authorization", `Bearer ${rootToken}`], 200],
  ["an empty PRIVATE-TOKEN beside the other", ["PRIVATE-TOKEN", "", "Authorization", `Bearer ${rootToken}`], 200],
  ["the proxy's own Authorization beside it", ["PRIVATE-TOKEN", rootToken, "Authorization", "Basic eDp5"], 200],
  ["two PRIVATE-TOKENs that differ", ["PRIVATE-TOKEN", rootToken, "PRIVATE-TOKEN", person.token], 401],
  [
    "two Authorizations that differ",
    ["Authorization", `Bearer ${rootToken}`, "Authorization", `Bearer ${person.token}`],
    401,
  ],
  ["both with different tokens", ["PRIVATE-TOKEN", rootToken, "Authorization", `Bearer ${person.token}`], 401],
  ["an empty one", ["PRIVATE-TOKEN", ""], 401],
  ["Authorization of another kind", ["Authorization", `Token ${rootToken}`], 401],
];
for (const [claim, list, status] of headers)
  test(`${claim}: ${status}`, async () => {
    const answer = await get("/user", ["Host", "faultline.test", ...list]);
    assert.is(answer.status, status, answer.text);
  });

// One address an id (attack A92)

const oddIds = [
  "1e1",
  "01",
  "+1",
  "%201",
  "1%20",
  "0x1",
  "1.0",
  "-1",
  "9223372036854775808",
  "%D9%A1",
  "1;",
  "%00",
  "%",
];
const places: [path: (id: string) => string, message: string][] = [
  [(id) => `GET /projects/${id}`, "404 Project Not Found"],
  [(id) => `GET /users/${id}`, "404 User Not Found"],
  [(id) => `DELETE /users/${id}`, "404 User Not Found"],
  [(id) => `GET /personal_access_tokens/${id}`, "404 Personal Access Token Not Found"],
  [(id) => `DELETE /member_roles/${id}`, "404 Member Role Not Found"],
  [(id) => `POST /projects/${id}/restore`, "404 Deleted Project Not Found"],
  [(id) => `GET /projects/${project.id}/members/${id}`, "404 Member Not Found"],
  [(id) => `DELETE /projects/${project.id}/invitations/${id}`, "404 Invitation Not Found"],
  [(id) => `DELETE /projects/${project.id}/error_tracking/client_keys/${id}`, "404 Not found"],
  [(id) => `GET /projects/${project.id}/error_tracking/errors/${id}`, "404 Error Not Found"],
  [(id) => `GET /projects/${project.id}/error_tracking/events/${id}`, "404 Event Not Found"],
];
for (const [place, message] of places)
  test(`${place("<odd id>")} is answered 404 for each odd form of an id`, async () => {
    for (const id of oddIds) {
      const answer = await rest(server, place(id));
      assert.is(answer.status, 404, `${id}: ${answer.text}`);
      assert.equal(withoutReason(answer.json), { message }, id);
    }
  });

const missing = "999999999";
const readById = restOperations.filter(({ verb, path }) => verb === "GET" && /:(?!project\b)/.test(path));
for (const { path } of readById)
  test(`GET ${path} is answered 404 for an id that never existed, and for a text that is not an id`, async () => {
    for (const id of [missing, "abc", "0"]) {
      const filled = path.replace(":project", String(project.id)).replaceAll(/:\w+/g, id);
      const answer = await rest(server, `GET ${filled}`);
      assert.is(answer.status, 404, `${filled}: ${answer.text}`);
      assert.match(String((answer.json as Record<string, unknown>)["message"]), /^404 /, filled);
    }
  });

// A field that is not named is not set (attack A93)

test("a project takes neither an id, an owner nor a date from its maker", async () => {
  const body = {
    path: "mass/project",
    id: 1,
    project_id: 1,
    owner_id: 1,
    created_at: "2001-01-01",
    role: 50,
    __proto__: {},
  };
  const made = await answered(rest(server, "POST /projects", { token: person.token, body }), 201);
  const { id, created_at } = made.json as Body;
  assert.is.not(id, 1);
  assert.ok(Date.parse(String(created_at)) > Date.UTC(2020));
  const members = await rest(server, `GET /projects/${id}/members`);
  assert.equal(
    (members.json as Body[]).map((member) => member.id),
    [person.userId],
  );
});

test("settings, members, users and tokens take what is named and nothing else", async () => {
  const settings = `/projects/${project.id}/error_tracking/settings`;
  const other = await createProject(server);
  const more = { project_id: other.id, projectId: other.id, dsn: "https://x@evil.example/1", has_token: true, id: 77 };
  const put = await answered(
    rest(server, `PUT ${settings}`, { body: { active: false, integrated: true, ...more } }),
    200,
  );
  assert.is((put.json as Body)["has_token"], false);
  assert.not.match(put.text, "evil.example");
  assert.is(((await rest(server, `GET /projects/${other.id}/error_tracking/settings`)).json as Body)["active"], true);

  const body = { username: "mass", password: personPassword, id: 1, is_admin: true, state: "blocked", user_id: 1 };
  const made = await answered(rest(server, "POST /users", { body }), 201);
  assert.equal([(made.json as Body)["is_admin"], (made.json as Body)["state"]], [false, "active"]);
  assert.is.not((made.json as Body).id, 1);
  const { id } = made.json as Body;
  const changed = await answered(
    rest(server, `PUT /users/${id}`, { body: { id: 1, is_blocked: true, isAdmin: true, is_admin: true } }),
    200,
  );
  assert.equal(changed.json, made.json);

  const rotated = await answered(
    rest(server, "POST /personal_access_tokens/self/rotate", {
      token: (await newPerson(client, { scopes: ["api"] })).token,
      body: { scopes: ["admin"], user_id: 1, token_id: 1, name: "root's" },
    }),
    200,
  );
  assert.equal([(rotated.json as Body)["name"], (rotated.json as Body)["scopes"]], ["test", ["api"]]);
});

test("the path says which user and project, whatever the body says", async () => {
  const victim = await newPerson(client);
  const path = `/projects/${project.id}/members/${person.userId}`;
  await assertAnswer(
    rest(server, `POST /projects/${project.id}/members`, { body: { user_id: person.userId, access_level: 10 } }),
    201,
  );
  const body = { access_level: 20, user_id: victim.userId, project_id: 999_999 };
  const answer = await answered(rest(server, `PUT ${path}`, { body }), 200);
  assert.is((answer.json as Body).id, person.userId);
  await assertAnswer(rest(server, `GET /projects/${project.id}/members/${victim.userId}`), 404);
});

test("a body that names __proto__ or constructor changes nothing", async () => {
  const answer = await http(`${server.url}/api/v4/projects`, {
    method: "POST",
    headers: { "PRIVATE-TOKEN": rootToken, "Content-Type": "application/json" },
    body: '{"path":"mass/proto","__proto__":{"name":"polluted"},"constructor":{"prototype":{"name":"polluted"}}}',
  });
  assert.is(answer.status, 201, answer.text);
  assert.is((answer.json as Body)["name"], "proto");
});

// Forms of requests

test("a NUL anywhere in a text is answered 400 with the reason", async () => {
  const tracking = `/projects/${project.id}/error_tracking`;
  const refused = { message: "400 Bad request - A text must not contain the character NUL." };
  for (const call of [
    "GET /projects?search=%00",
    "GET /users?search=a%00b",
    "GET /users?username=%00",
    `GET /projects/${project.id}/members?query=%00`,
    `GET ${tracking}/errors?query=%00`,
    `GET ${tracking}/releases?environment=%00`,
  ])
    await assertAnswer(rest(server, call), 400, refused);
  await assertAnswer(rest(server, "POST /projects", { body: { path: "nul", name: "a\0b" } }), 400, refused);
});

const refusals: [call: string, options: Parameters<typeof rest>[2], status: number, reason: string][] = [
  ["GET /user", { token: null }, 401, "TOKEN_REQUIRED"],
  ["GET /users/999999999", {}, 404, "USER_NOT_FOUND"],
  ["GET /audit_events", { token: person.token }, 403, "FORBIDDEN"],
  ["GET /projects?per_page=x", {}, 400, "INVALID_FIELD"],
  ["POST /projects", { body: { path: "/" } }, 400, "INVALID_FIELD"],
  ["PUT /member_roles", {}, 405, "METHOD_NOT_ALLOWED"],
  ["POST /openapi.json", {}, 405, "METHOD_NOT_ALLOWED"],
  ["GET /nothing", {}, 404, "ADDRESS_NOT_FOUND"],
  [
    `PUT /projects/${project.id}/error_tracking/errors/1/subscription`,
    { body: { subscription: "on" } },
    400,
    "INVALID_FIELD",
  ],
];
for (const [call, options, status, reason] of refusals)
  test(`the ${status} of ${call} has the stable reason ${reason}`, async () => {
    const { json } = await answered(rest(server, call, options), status);
    assert.is((json as Record<string, unknown>)["reason"], reason);
  });

/** Sends a body as it is; of a `FormData` the type follows from it. */
async function sent(call: string, body: string | FormData, more: Record<string, string>) {
  const [method = "", path = ""] = call.split(" ");
  const answer = await fetch(`${server.url}/api/v4${path}`, {
    method,
    headers: { "PRIVATE-TOKEN": rootToken, ...more },
    body,
  });
  return { status: answer.status, json: (await answer.json()) as Record<string, unknown> };
}

test("lists are sent as ids[]=1&ids[]=2, and forms also as multipart, as in GitLab", async () => {
  const other = await createProject(server);
  const tracking = `/projects/${other.id}/error_tracking`;
  const form = (type: string, body: string | FormData, call = `POST ${tracking}/errors/bulk`) =>
    sent(call, body, typeof body === "string" ? { "Content-Type": type } : {});
  const type = "application/x-www-form-urlencoded";
  const multipart = new FormData();
  for (const [name, value] of [
    ["ids[]", "7"],
    ["ids[]", "8"],
    ["status", "resolved"],
  ] as const)
    multipart.append(name, value);
  for (const body of [
    "ids[]=7&ids[]=8&status=resolved",
    "ids%5B%5D=7&ids%5B%5D=8&status=resolved",
    "ids=7,8&status=resolved",
    multipart,
  ]) {
    const { status, json } = await form(type, body);
    assert.equal([status, json["not_found"]], [200, ["7", "8"]], JSON.stringify(json));
  }
  const inQuery = `POST ${tracking}/errors/bulk?ids[]=7&ids[]=8&status=resolved`;
  assert.equal((await sent(inQuery, "", {})).json["not_found"], ["7", "8"]);
  const kind = "kind=gotify&name=Phone&fields[url]=http://gotify.example.com&fields[token]=app-token-1";
  const channel = await form(type, kind, `POST ${tracking}/notification_channels`);
  assert.is(channel.status, 201, JSON.stringify(channel.json));
  const file = new FormData();
  file.append("ids[]", new Blob(["7"]), "ids.txt");
  file.append("status", "resolved");
  assert.equal((await form("", file)).json, { error: "ids is invalid", reason: "INVALID_FIELD" });
  assert.equal((await form("multipart/form-data; boundary=x", "--y")).json["error"], "body is invalid");
  const large = new FormData();
  large.append("ids[]", "7".repeat(70_000));
  assert.equal((await form("", large)).json["error"], "body is too large");
});

test("a name that a call does not know is refused where it changes or deletes, before anything is done", async () => {
  const tracking = `/projects/${project.id}/error_tracking`;
  for (const [call, body, error] of [
    [
      `POST ${tracking}/deletions`,
      { ids: ["1"], dry_run: true },
      /^dry_run is not a parameter of this call: this call takes ids, /,
    ],
    [
      `POST ${tracking}/deletions`,
      { ids: ["1"], undoo: false },
      /^undoo is not a parameter of this call: did you mean undo\?$/,
    ],
    [`POST ${tracking}/deletions?dry_run=1`, { ids: ["1"] }, /^dry_run is not a parameter/],
    [
      `POST ${tracking}/deletions/1/undo`,
      { undo: false },
      /^undo is not a parameter of this call: this call takes none$/,
    ],
    [`DELETE ${tracking}/errors/1`, { undo: false }, /^undo is not a parameter/],
    [`DELETE /projects/${project.id}`, { dry_run: true }, /^dry_run is not a parameter/],
    [`POST ${tracking}/errors/bulk`, { ids: ["1"], statuss: "ignored", status: "resolved" }, /did you mean status\?$/],
    [`PUT /application/default_quota`, { day_limit: 1 }, /did you mean day_limit_bytes\?$/],
  ] as const) {
    const { json } = await answered(rest(server, call, { body }), 400);
    assert.match(String((json as Record<string, unknown>)["error"]), error, call);
  }
  await answered(rest(server, `GET /projects/${project.id}`), 200);
});

test("HEAD is answered like GET, without the body", async () => {
  const head = await rest(server, `HEAD /projects/${project.id}`);
  const full = await rest(server, `GET /projects/${project.id}`);
  assert.equal([head.status, head.text], [200, ""]);
  assert.is(head.headers["content-length"], full.headers["content-length"]);
  assert.is((await rest(server, "HEAD /users", { token: null })).status, 401);
});

test("a method that a route does not have is answered 405 with the methods that it has", async () => {
  const answer = await answered(rest(server, "PUT /member_roles", { body: {} }), 405);
  assert.equal(withoutReason(answer.json), { error: "405 Not Allowed" });
  assert.is(answer.headers["allow"], "GET, POST, HEAD");
});

test("answers are kept by no cache", async () => {
  for (const call of ["GET /user", "GET /projects/999999999"])
    assert.is((await rest(server, call)).headers["cache-control"], "no-store");
});

test("a body larger than 64 KiB is answered 400", () =>
  assertAnswer(rest(server, "POST /projects", { body: { path: "x".repeat(70_000) } }), 400, {
    error: "body is too large",
  }));

for (const body of ["[]", "1", '"x"', "null", "{"])
  test(`the body ${body} is answered 400`, () =>
    assertAnswer(
      http(`${server.url}/api/v4/projects`, {
        method: "POST",
        headers: { "PRIVATE-TOKEN": rootToken, "Content-Type": "application/json" },
        body,
      }),
      400,
      { error: "body is invalid" },
    ));

test.run();
