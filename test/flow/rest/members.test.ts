import { Role } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { answered, assertAnswer } from "../../support/assert/assert-answer.ts";
import { sharedServer } from "../../support/service/flow.ts";
import { newMember, newPerson } from "../../support/core/person.ts";
import { createProject } from "../../support/core/project.ts";
import { rest } from "../../support/rest/rest.ts";

const { server, client } = await sharedServer();
const project = await createProject(server);
const members = `/projects/${project.id}/members`;
const maintainer = await newMember(client, project.id, Role.MAINTAINER);
const developer = await newMember(client, project.id, Role.DEVELOPER);
const guest = await newMember(client, project.id, Role.GUEST);

type Body = Record<string, unknown> & { readonly id: number };

test("a member is added with 201 and has the role immediately", async () => {
  const { userId, username, token } = await newPerson(client);
  await assertAnswer(rest(server, `GET ${members}`, { token }), 404, { message: "404 Project Not Found" });
  const body = { user_id: userId, access_level: 20 };
  const answer = await answered(rest(server, `POST ${members}`, { token: maintainer.token, body }), 201);
  const { created_at, ...member } = answer.json as Body;
  assert.match(String(created_at), /^\d{4}-\d\d-\d\dT[\d:.]{12}Z$/);
  assert.equal(member, {
    id: userId,
    username,
    name: username,
    state: "active",
    access_level: 20,
    expires_at: null,
    member_role: null,
  });
  await assertAnswer(rest(server, `GET ${members}/${userId}`, { token }), 200, answer.json);
  await assertAnswer(rest(server, `GET ${members}/all/${userId}`, { token }), 200, answer.json);
  assert.is((await rest(server, `GET /projects/${project.id}/error_tracking/errors`, { token })).status, 200);
});

test("a member is added by user name", async () => {
  const { userId, username } = await newPerson(client);
  const body = { username: username.toUpperCase(), access_level: "30" };
  const answer = await answered(rest(server, `POST ${members}`, { token: maintainer.token, body }), 201);
  assert.is((answer.json as Body).id, userId);
  assert.is((answer.json as Body)["access_level"], 30);
});

const added: [body: Record<string, unknown>, status: number, answer: object][] = [
  [{ access_level: 20 }, 400, { error: "user_id, username is missing" }],
  [{ user_id: 999_999_999 }, 400, { error: "access_level is missing" }],
  [{ user_id: 999_999_999, access_level: 15 }, 400, { error: "access_level does not have a valid value" }],
  [{ user_id: 999_999_999, access_level: 0 }, 400, { error: "access_level is invalid" }],
  [{ user_id: "x", access_level: 20 }, 400, { error: "user_id is invalid" }],
  [{ user_id: 999_999_999, access_level: 20 }, 404, { message: "404 User Not Found" }],
  [{ username: "nobody-of-that-name", access_level: 20 }, 404, { message: "404 User Not Found" }],
];
for (const [body, status, answer] of added)
  test(`a member ${JSON.stringify(body)} is answered ${status}`, () =>
    assertAnswer(rest(server, `POST ${members}`, { body }), status, answer));

test("adding an existing member is answered 409", () =>
  assertAnswer(rest(server, `POST ${members}`, { body: { user_id: developer.userId, access_level: 20 } }), 409, {
    message: "Member already exists",
  }));

test("members are listed to a guest, by user name, in pages and by search", async () => {
  const get = (path: string) => answered(rest(server, `GET ${path}`, { token: guest.token }), 200);
  const all = await get(`${members}?per_page=100`);
  const names = (all.json as Body[]).map((member) => String(member["username"]));
  assert.equal(names, names.toSorted());
  assert.is(all.headers["x-total"], String(names.length));
  assert.equal((await get(`${members}/all?per_page=100`)).json, all.json);
  const page = await get(`${members}?page=2&per_page=2`);
  assert.equal(page.json, (all.json as Body[]).slice(2, 4));
  const found = await get(`${members}?query=${developer.username}`);
  assert.ok((found.json as Body[]).some(({ id }) => id === developer.userId));
});

test("a member's role is changed, and holds from the next call on", async () => {
  const person = await newMember(client, project.id, Role.REPORTER);
  const key = () => rest(server, `GET /projects/${project.id}/error_tracking/client_keys`, { token: person.token });
  assert.is((await key()).status, 403);
  const put = await answered(
    rest(server, `PUT ${members}/${person.userId}`, { token: maintainer.token, body: { access_level: 40 } }),
    200,
  );
  assert.is((put.json as Body)["access_level"], 40);
  assert.is((await key()).status, 200);
});

test("a developer adds, changes and removes nobody, and a maintainer makes no owner", async () => {
  const person = await newMember(client, project.id, Role.REPORTER);
  const { userId } = await newPerson(client);
  const forbidden = { message: "403 Forbidden" };
  const token = developer.token;
  await assertAnswer(
    rest(server, `POST ${members}`, { token, body: { user_id: userId, access_level: 10 } }),
    403,
    forbidden,
  );
  const path = `${members}/${person.userId}`;
  await assertAnswer(rest(server, `PUT ${path}`, { token, body: { access_level: 30 } }), 403, forbidden);
  await assertAnswer(rest(server, `DELETE ${path}`, { token }), 403, forbidden);
  await assertAnswer(
    rest(server, `PUT ${path}`, { token: maintainer.token, body: { access_level: 50 } }),
    403,
    forbidden,
  );
  assert.is(((await rest(server, `GET ${path}`)).json as Body)["access_level"], 20);
});

test("a removed member is answered with 204, and does not see the project any more", async () => {
  const person = await newMember(client, project.id, Role.DEVELOPER);
  const path = `${members}/${person.userId}`;
  assert.is((await answered(rest(server, `DELETE ${path}`, { token: maintainer.token }), 204)).text, "");
  await assertAnswer(rest(server, `GET ${members}`, { token: person.token }), 404, {
    message: "404 Project Not Found",
  });
  for (const call of [`GET ${path}`, `DELETE ${path}`, `GET ${members}/01`, `DELETE ${members}/x`])
    await assertAnswer(rest(server, call), 404, { message: "404 Member Not Found" });
});

test("everybody may leave, a guest too", async () => {
  const person = await newMember(client, project.id, Role.GUEST);
  await assertAnswer(rest(server, `DELETE ${members}/${person.userId}`, { token: person.token }), 204);
});

test("the last owner can neither leave nor be made less", async () => {
  const owner = await newPerson(client);
  const made = await rest(server, "POST /projects", { token: owner.token, body: { path: "last/owner" } });
  const path = `/projects/${(made.json as Body).id}/members/${owner.userId}`;
  for (const [call, body] of [
    [`DELETE ${path}`, undefined],
    [`PUT ${path}`, { access_level: 40 }],
  ] as const) {
    const answer = await answered(rest(server, call, { token: owner.token, body }), 400);
    assert.match(String((answer.json as Body)["message"]), /owner/i);
  }
});

test("a custom role is given, shown and holds", async () => {
  const role = await answered(
    rest(server, "POST /member_roles", { body: { name: "Keys", base_access_level: 20, admin_error_tracking: true } }),
    201,
  );
  const person = await newMember(client, project.id, Role.GUEST);
  const put = await answered(
    rest(server, `PUT ${members}/${person.userId}`, { body: { member_role_id: (role.json as Body).id } }),
    200,
  );
  assert.is((put.json as Body)["access_level"], 20);
  assert.equal((put.json as Body)["member_role"], role.json);
  const keys = `/projects/${project.id}/error_tracking/client_keys`;
  assert.is((await rest(server, `GET ${keys}`, { token: person.token })).status, 200);
  await assertAnswer(rest(server, `PUT ${members}/${person.userId}`, { body: { member_role_id: 999_999_999 } }), 404, {
    message: "404 Member Role Not Found",
  });
});

test.run();
