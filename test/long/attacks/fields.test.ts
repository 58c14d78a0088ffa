import { toJson } from "@bufbuild/protobuf";
import { Role } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { harmlessRequest, trpcEntrances } from "../../permissions/operations.ts";
import { callTrpc, cookiesSet, postForm } from "../../support/console/console.ts";
import { runningServer } from "../../support/service/flow.ts";
import { http } from "../../support/http/http.ts";
import { newMember, personPassword } from "../../support/core/person.ts";
import { createProject } from "../../support/core/project.ts";
import { rest } from "../../support/rest/rest.ts";
import { rootPassword } from "../../support/service/server.ts";

/** Fields that a caller adds to a request, in the hope that somebody writes down all that comes. */

const { server, client } = await runningServer();
const project = await createProject(server);
const other = await createProject(server);
const { sessionToken } = await client.accounts.signIn({ username: "root", password: rootPassword });
const cookie = `faultline_session=${sessionToken}`;

/** The rights that an attacker would like to have. */
const wishes = {
  id: 1,
  user_id: 1,
  userId: 1,
  role: "owner",
  is_admin: true,
  isAdmin: true,
  admin: true,
  is_blocked: false,
  access_level: 50,
  projectId: other.id,
  project_id: other.id,
  active: true,
  passwordHash: "x",
  password_hash: "x",
  createdAt: 0,
  created_at: "1970-01-01",
  token: "x",
  tokenDigest: "x",
  scopes: ["api"],
  path: "stolen/path",
  permissions: [1, 2, 3],
  capabilities: { removeProject: { allowed: true } },
};

test("A93: a tRPC procedure refuses every field that its message has not", async () => {
  let tried = 0;
  for (const { name, kind, method } of trpcEntrances) {
    if (kind === "subscription") continue;
    const input = toJson(method.desc.input, harmlessRequest(method.desc, project.id)) as Record<string, unknown>;
    for (const field of ["passwordHash", "is_owner", "tokenDigest", "$typeName", "constructor", "toString"]) {
      const text = JSON.stringify({ ...input, [field]: "x" });
      const answer = await (kind === "query"
        ? http(`${server.url}/-/trpc/${name}?input=${encodeURIComponent(text)}`, { headers: { Cookie: cookie } })
        : http(`${server.url}/-/trpc/${name}`, {
            method: "POST",
            headers: { Cookie: cookie, Origin: server.url, "Content-Type": "application/json" },
            body: text,
          }));
      assert.is(answer.status, 400, `${name} took ${field}: ${answer.text}`);
      tried += 1;
    }
  }
  assert.ok(tried > 200, "the procedures were not found");
});

test("A93: __proto__ in a tRPC input is a field that the message has not, and changes no prototype", async () => {
  const answer = await http(`${server.url}/-/trpc/accounts.updateProfile`, {
    method: "POST",
    headers: { Cookie: cookie, Origin: server.url, "Content-Type": "application/json" },
    body: '{"name":"Root","__proto__":{"isAdmin":true},"constructor":{"prototype":{"isAdmin":true}}}',
  });
  assert.is(answer.status, 400);
});

test("A93: people who change their own profile cannot become administrators, in any interface", async () => {
  const person = await newMember(client, project.id, Role.GUEST);
  const auth = {
    token: (await client.accounts.signIn({ username: person.username, password: personPassword })).sessionToken,
  };
  const headers = { Cookie: `faultline_session=${auth.token}` };
  for (const wish of Object.keys(wishes)) {
    const value = wishes[wish as keyof typeof wishes];
    const { status } = await callTrpc(server, "accounts.updateProfile", { name: "Me", [wish]: value }, headers);
    assert.is(status, 400, wish);
  }
  assert.is((await rest(server, `PUT /users/${person.userId}`, { token: person.token, body: wishes })).status, 403);
  await client.accounts.updateProfile({ name: "Me", ...({ isAdmin: true, is_admin: true } as object) }, auth);
  const { user } = await client.users.getUser({ userId: person.userId }, client.auth);
  assert.equal([user?.isAdmin, user?.name], [false, "Me"]);
});

test("A93: REST reads from a body the fields that the operation knows, and ignores others", async () => {
  const owner = await newMember(client, project.id, Role.OWNER);
  const before = JSON.stringify((await rest(server, `GET /projects/${other.id}`)).json);
  const { path: _, ...others } = wishes;
  const body = { ...others, name: "Renamed" };
  const changed = await rest(server, `PUT /projects/${project.id}`, { token: owner.token, body });
  assert.is(changed.status, 200, changed.text);
  const found = changed.json as { id: number; name: string; created_at: string };
  assert.equal([found.id, found.name], [project.id, "Renamed"]);
  assert.not.match(found.created_at, "1970");
  const settings = await rest(server, `PATCH /projects/${project.id}/error_tracking/settings`, {
    token: owner.token,
    body: { ...wishes, active: true },
  });
  assert.is(settings.status, 200, settings.text);
  const key = await rest(server, `POST /projects/${project.id}/error_tracking/client_keys`, {
    token: owner.token,
    body: { ...wishes, public_key: "0".repeat(32), sentry_dsn: "https://x@evil.example/1" },
  });
  assert.is(key.status, 201, key.text);
  assert.not.match(key.text, /0{32}|evil/);
  assert.is(JSON.stringify((await rest(server, `GET /projects/${other.id}`)).json), before);
  assert.is((await rest(server, `GET /projects/${other.id}`, { token: owner.token })).status, 404);
});

test("A93: a project that somebody makes is their own, and a maintainer gives nobody more than they have", async () => {
  const person = await newMember(client, project.id, Role.MAINTAINER);
  const body = { ...wishes, name: "Mine", path: "mine", owner: "root", owner_id: 1, namespace_id: 1 };
  const made = await rest(server, "POST /projects", { token: person.token, body });
  assert.is(made.status, 201, made.text);
  const { id } = made.json as { id: number };
  assert.ok(id > other.id, "an id was chosen");
  const { members } = await client.members.listMembers({ projectId: id }, client.auth);
  assert.equal(
    members.map(({ user, role }) => [user?.userId, role]),
    [[person.userId, Role.OWNER]],
  );
  const call = `PUT /projects/${project.id}/members/${person.userId}`;
  assert.is((await rest(server, call, { token: person.token, body: { ...wishes, access_level: 50 } })).status, 403);
});

test("A93: a user who registers by an invitation gets its role and is not an administrator", async () => {
  const session = { token: sessionToken };
  const invited = await client.members.createInvitation({ projectId: project.id, role: Role.GUEST }, session);
  const link = new URL(invited.url).pathname;
  const fields = { username: "eager", password: personPassword, name: "Eager" };
  const more = Object.fromEntries(Object.entries(wishes).map(([name, value]) => [name, String(value)]));
  const answer = await postForm(server, `${link}?/register`, { ...more, ...fields });
  assert.ok(
    cookiesSet(answer).some((one) => one.includes("fls_")),
    answer.text,
  );
  const { users } = await client.users.listUsers({ username: "eager" }, client.auth);
  assert.is(users[0]?.isAdmin, false);
  const { members } = await client.members.listMembers({ projectId: project.id, query: "eager" }, client.auth);
  assert.is(members[0]?.role, Role.GUEST);
  const { projects } = await client.projects.listProjects(
    {},
    { token: /fls_\w+/.exec(String(cookiesSet(answer)))?.[0] },
  );
  assert.equal(
    projects.map(({ projectId }) => projectId),
    [project.id],
  );
});

test.run();
