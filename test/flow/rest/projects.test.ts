import { Role } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { answered, assertAnswer } from "../../support/assert/assert-answer.ts";
import { sharedServer } from "../../support/service/flow.ts";
import { linkedPage } from "../../support/console/linked-page.ts";
import { newMember, newPerson } from "../../support/core/person.ts";
import { refusedBecause } from "../../support/assert/refused-because.ts";
import { rest } from "../../support/rest/rest.ts";
import { sendEvent } from "../../support/sentry/send.ts";
import { createProject } from "../../support/core/project.ts";

const { server, client } = await sharedServer();

interface Body {
  readonly id: number;
  readonly name: string;
  readonly path: string;
}

async function newProject(path: string, token?: string): Promise<Body> {
  const answer = await answered(rest(server, "POST /projects", { body: { path }, ...(token && { token }) }), 201);
  return answer.json as Body;
}

test("a project is answered with its fields and the caller's role", async () => {
  const person = await newPerson(client);
  const { id } = await newProject("fields/web", person.token);
  const answer = await answered(rest(server, `GET /projects/${id}`, { token: person.token }), 200);
  const { created_at, ...body } = answer.json as Body & { created_at: string };
  assert.match(created_at, /^\d{4}-\d\d-\d\dT[\d:.]{12}Z$/);
  assert.equal(body, {
    id,
    name: "web",
    path: "fields/web",
    path_with_namespace: "fields/web",
    monitor_access_level: "enabled",
    code_url: null,
    code_root: null,
    permissions: { project_access: { access_level: 50 }, group_access: null },
  });
  await assertAnswer(rest(server, "GET /projects/FIELDS%2Fweb", { token: person.token }), 200, answer.json);
});

test("everybody lists their own projects, by path, in pages", async () => {
  const person = await newPerson(client);
  for (const path of ["list/b", "list/a", "list/c"]) await newProject(path, person.token);
  await newProject("list/of-another");
  const get = (path: string) => answered(rest(server, `GET ${path}`, { token: person.token }), 200);
  const first = await get("/projects?per_page=2");
  const second = await get(linkedPage(first, "next") ?? "");
  assert.equal(
    [first, second].map(({ json }) => (json as Body[]).map(({ path }) => path)),
    [["list/a", "list/b"], ["list/c"]],
  );
  assert.is(first.headers["x-total"], "3");
  const found = await get("/projects?search=IST/C&order_by=path&sort=asc");
  assert.equal(
    (found.json as Body[]).map(({ path }) => path),
    ["list/c"],
  );
});

for (const [query, error] of [
  ["order_by=id", "order_by does not have a valid value"],
  ["sort=desc", "sort does not have a valid value"],
  ["page=0", "page is invalid"],
  ["page=01", "page is invalid"],
  ["page=999999999&per_page=100", "page is invalid"],
  ["per_page=x", "per_page is invalid"],
] as const)
  test(`GET /projects?${query} is answered 400: ${error}`, () =>
    assertAnswer(rest(server, `GET /projects?${query}`), 400, { error }));

test("more than 100 a page are asked for in vain", async () => {
  const answer = await answered(rest(server, "GET /projects?per_page=1000"), 200);
  assert.is(answer.headers["x-per-page"], "100");
});

test("a maintainer changes a project, a developer does not", async () => {
  const { id } = await newProject("change/web");
  const maintainer = await newMember(client, id, Role.MAINTAINER);
  const developer = await newMember(client, id, Role.DEVELOPER);
  const change = { name: "Shop", path: "change/shop", monitor_access_level: "disabled" };
  const put = (token: string, body: object) => rest(server, `PUT /projects/${id}`, { token, body });
  await assertAnswer(put(developer.token, change), 403, { message: "403 Forbidden" });
  const answer = await answered(put(maintainer.token, change), 200);
  const { name, path, monitor_access_level } = answer.json as Body & { monitor_access_level: string };
  assert.equal({ name, path, monitor_access_level }, change);
  await assertAnswer(put(maintainer.token, { monitor_access_level: "public" }), 400, {
    error: "monitor_access_level does not have a valid value",
  });
  await newProject("change/taken");
  await assertAnswer(put(maintainer.token, { path: "change/taken" }), 400, {
    message: { path: ["has already been taken"] },
  });
});

test("a maintainer says where the code is, and every member reads it", async () => {
  const { id } = await newProject("code/web");
  const maintainer = await newMember(client, id, Role.MAINTAINER);
  const guest = await newMember(client, id, Role.GUEST);
  const put = (body: object) => rest(server, `PUT /projects/${id}`, { token: maintainer.token, body });
  const places = async () => {
    const { json } = await answered(rest(server, `GET /projects/${id}`, { token: guest.token }), 200);
    const { code_url, code_root } = json as Record<string, unknown>;
    return [code_url, code_root];
  };
  const code_url = "https://git.example.com/acme/web/-/blob/{revision}/{path}#L{line}";
  await answered(put({ code_url, code_root: "C:\\code" }), 200);
  assert.equal(await places(), [code_url, "C:/code/"]);
  await answered(put({ name: "Web" }), 200);
  assert.equal(await places(), [code_url, "C:/code/"]);
  for (const [bad, why] of [
    ["javascript:alert(1)//{path}", /^Enter an address that begins with https/],
    ["https://ada:secret@git.example.com/{path}", /^Leave the user name and password out/],
    ["https://git.example.com/{branch}/{path}", /not \{branch\}\.$/],
    ["https://git.example.com/acme/web", /^The link needs \{path\}/],
  ] as const) {
    const call = client.projects.updateProject({ projectId: id, codeUrl: bad }, client.auth);
    const { message, field } = await refusedBecause("INVALID_FIELD", call);
    assert.is(field, "code_url");
    assert.match(message, why);
    await assertAnswer(put({ code_url: bad }), 400, { message: `400 Bad request - ${message}` });
  }
  assert.equal(await places(), [code_url, "C:/code/"]);
  await answered(put({ code_url: "", code_root: "" }), 200);
  assert.equal(await places(), [null, null]);
});

test("while the Monitor feature is off, errors are answered 404 with the reason", async () => {
  const { id } = await createProject(server);
  await assertAnswer(rest(server, `PUT /projects/${id}`, { body: { monitor_access_level: "disabled" } }), 200);
  const answer = await answered(rest(server, `GET /projects/${id}/error_tracking/errors`), 404);
  assert.match(String((answer.json as { message: string }).message), /^404 Not Found - .*Monitor/);
});

test("an owner deletes a project with 202, and then it is missing for everybody", async () => {
  const project = await createProject(server);
  const owner = await newMember(client, project.id, Role.OWNER);
  const maintainer = await newMember(client, project.id, Role.MAINTAINER);
  const path = `/projects/${project.id}`;
  await assertAnswer(rest(server, `DELETE ${path}`, { token: maintainer.token }), 403, { message: "403 Forbidden" });
  await assertAnswer(rest(server, `DELETE ${path}`, { token: owner.token }), 202, { message: "202 Accepted" });
  for (const token of [owner.token, maintainer.token, undefined]) {
    await assertAnswer(rest(server, `GET ${path}`, token ? { token } : {}), 404, { message: "404 Project Not Found" });
  }
  assert.is((await sendEvent(server, project, { message: "late" })).status, 403);
});

test("an administrator restores a deleted project with its keys, nobody else does", async () => {
  const project = await createProject(server);
  const owner = await newMember(client, project.id, Role.OWNER);
  await assertAnswer(rest(server, `DELETE /projects/${project.id}`, { token: owner.token }), 202);
  const restore = `POST /projects/${project.id}/restore`;
  await assertAnswer(rest(server, restore, { token: owner.token }), 403, { message: "403 Forbidden" });
  const answer = await answered(rest(server, restore), 201);
  assert.is((answer.json as Body).id, project.id);
  await assertAnswer(rest(server, `GET /projects/${project.id}`, { token: owner.token }), 200);
  assert.is((await sendEvent(server, project, { message: "back" })).status, 200);
  for (const id of [project.id, 999_999_999, "web", "01"])
    await assertAnswer(rest(server, `POST /projects/${id}/restore`), 404, { message: "404 Deleted Project Not Found" });
});

test.run();
