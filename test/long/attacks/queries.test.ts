// limit: 240 s
import { ScalarType, type DescMessage, type MessageShape } from "@bufbuild/protobuf";
import { ErrorReason, Permission, Role, services } from "@faultline/proto";
import { CallError, connect } from "@faultline/proto/grpc";
import { credentials, status } from "@grpc/grpc-js";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { coreMethods, harmlessRequest } from "../../permissions/operations.ts";
import { databaseOf } from "../../support/database/database-of.ts";
import { grpcClient } from "../../support/core/grpc.ts";
import { rowsOfServer } from "../../support/database/other-process.ts";
import { createProject } from "../../support/core/project.ts";
import { refusedBecause } from "../../support/assert/refused-because.ts";
import { rest } from "../../support/rest/rest.ts";
import { newEventId, sendEvent } from "../../support/sentry/send.ts";
import { rootPassword, startServer } from "../../support/service/server.ts";

/** Texts that would say more to a database than they should. */

let server = await startServer();
let client = grpcClient(server);
let connection = connect(server.grpcAddress, credentials.createInsecure());
test.after(async () => {
  client.close();
  connection.close();
  await server.stop();
});
const project = await createProject(server);
await sendEvent(server, project, { event_id: newEventId(), message: "boom", tags: { region: "eu" } });
const { sessionToken: token } = await client.accounts.signIn({ username: "root", password: rootPassword });

const injections = [
  "'",
  "''",
  "\\'",
  '"',
  "`",
  "' or '1'='1",
  "' or 1=1 --",
  '" or 1=1 --',
  "') or 1=1 --",
  "\\') or 1=1 --",
  "1; drop table user; --",
  "'; drop table user; --",
  "\\'; drop table user; --",
  "' union select password_hash from user --",
  "' || (select password_hash from user) || '",
  "x' and 1=randomblob(1000000000) --",
  "'; attach database '/tmp/attached.db' as attached; --",
  "'; pragma writable_schema = 1; --",
  "? ?? ??? $1 :name @name #1 {0} [0] %s",
  "/* */ -- comment",
  "json_extract(payload, '$.a')",
  "$.a'] = 1 --",
  "%",
  "_",
  "\\",
  "%' escape '\\",
  '"unclosed',
  "NEAR(a b, 5)",
  "a AND b OR NOT c*",
  '^col : "x"',
  "ʼ or 1=1 --", // an apostrophe that some databases take for the ASCII one
  "\u2019; drop table user; --",
  "\r\n; drop table user\r\n",
];

const schemaQuery =
  databaseOf(server.dataDir) === undefined
    ? "select type, name, sql from sqlite_schema order by name, type"
    : `select table_name, column_name, data_type from information_schema.columns where table_schema = 'public'
      union all select tablename, indexname, indexdef from pg_catalog.pg_indexes where schemaname = 'public'
      union all select 'procedure', proname, prosrc from pg_catalog.pg_proc where pronamespace = 'public'::regnamespace
      order by 1, 2, 3`;
const schema = () => rowsOfServer(server, schemaQuery);
const administrator = () =>
  rowsOfServer(server, `select id, username, password_hash, is_admin from "user" where id = 1`);
const whole = await schema();
const known = await administrator();
assert.ok(
  whole.length > 50 && known.length === 1,
  `${whole.length} rows of the schema, ${known.length} administrators`,
);
test.after.each(async () => {
  assert.equal(await schema(), whole);
  assert.equal(await administrator(), known);
});

type AnyClient = Record<string, (request: MessageShape<DescMessage>, context: object) => unknown>;

/** Calls a method with an administrator's session; the name of the reason, or what it answered. */
async function call({ service, desc }: (typeof coreMethods)[number], request: MessageShape<DescMessage>) {
  const method = (connection.service(services[service]) as unknown as AnyClient)[desc.localName];
  assert.ok(method);
  return (method(request, { token }) as Promise<unknown>).catch((refusal: unknown) => {
    assert.instance(refusal, CallError);
    return refusal as CallError;
  });
}

/** They change what the other tests rest on, and have their own tests below. */
const changesOurs = /\.(SignOut|ChangePassword|DeleteProject|UpdateProfile|UpdateProject)$/;
const unary = coreMethods.filter(({ desc, name }) => desc.methodKind === "unary" && !changesOurs.test(name));
const textsOf = ({ desc }: (typeof coreMethods)[number]) =>
  desc.input.fields.filter(
    (field) => field.fieldKind === "scalar" && field.scalar === ScalarType.STRING && field.name !== "password",
  ); // a password is hashed first

/** Attempts to sign in with one name wait for each other: 90 s in all. Other methods have no name, or the text in it. */
const newName = ({ name }: (typeof coreMethods)[number]) =>
  name === "AccountService.SignIn" && { username: `nobody-${(names += 1)}` };
let names = 0;

for (const method of unary.filter((one) => textsOf(one).length > 0)) {
  test(`A107: ${method.name} takes texts that look like SQL for texts`, async () => {
    for (const field of textsOf(method)) {
      for (const text of injections) {
        const request = Object.assign(harmlessRequest(method.desc, project.id), newName(method), {
          [field.localName]: text,
        });
        const answer = await call(method, request);
        if (!(answer instanceof CallError)) continue;
        const outcome = `${field.name} ${text}: ${answer.code} ${answer.message}`;
        assert.ok(answer.reason !== ErrorReason.INTERNAL && answer.code !== status.UNKNOWN, outcome);
        assert.is.not(answer.reason, ErrorReason.TOKEN_REQUIRED, outcome); // it came as far as the method itself
      }
    }
  });
}

test("A107: what looks like SQL is stored and answered as it was given, also after a restart", async () => {
  const session = { token };
  const texts = injections.map((text) => `x${text.replaceAll(/[\r\n]/g, "")}x`);
  for (const [n, text] of texts.entries()) {
    await client.projects.createProject({ path: `named/${n}`, name: text }, client.auth);
    await client.accounts.createAccessToken({ name: text, scopes: ["api"] }, session);
    await client.users.createUser({ username: `named-${n}`, name: text }, client.auth);
    await client.members.createInvitation({ projectId: project.id, role: Role.GUEST, note: text }, session);
    await client.memberRoles.createMemberRole(
      { name: text, description: text, baseRole: Role.GUEST, permissions: [Permission.READ_ERROR_TRACKING] },
      client.auth,
    );
  }
  const answered = async () => {
    const projects = await client.projects.listProjects({ query: "named/", pageSize: 100 }, client.auth);
    const users = await client.users.listUsers({ query: "named-", pageSize: 100 }, client.auth);
    const tokens = await client.accounts.listAccessTokens({ pageSize: 100 }, client.auth);
    const { invitations } = await client.members.listInvitations({ projectId: project.id }, client.auth);
    const { memberRoles } = await client.memberRoles.listMemberRoles({}, client.auth);
    const lists = [
      projects.projects.map(({ name }) => name),
      users.users.map(({ name }) => name),
      tokens.accessTokens.map(({ name }) => name),
      invitations.map(({ note }) => note),
      memberRoles.map(({ name }) => name),
      memberRoles.map(({ description }) => description),
    ];
    return lists.map((list) => texts.filter((text) => !list.includes(text)));
  };
  assert.equal(await answered(), [[], [], [], [], [], []]);
  client.close();
  connection.close();
  await server.stop();
  server = await startServer({ dataDir: server.dataDir });
  client = grpcClient(server);
  connection = connect(server.grpcAddress, credentials.createInsecure());
  assert.equal(await answered(), [[], [], [], [], [], []]);
});

test("A111: a project whose name looks like SQL is renamed, deleted and restored like any other", async () => {
  const name = "'); drop table project; --";
  const { project: made } = await client.projects.createProject({ path: "second/order", name }, client.auth);
  const projectId = made?.projectId ?? 0;
  for (const text of injections) await client.projects.updateProject({ projectId, name: `x${text}x` }, client.auth);
  await client.projects.updateProject({ projectId, name }, client.auth);
  await client.projects.deleteProject({ projectId }, client.auth);
  await client.instance.rotateEncryptionKey({}, client.auth);
  const { project: restored } = await client.projects.restoreProject({ projectId }, client.auth);
  assert.equal([restored?.name, restored?.path], [name, "second/order"]);
});

test("A107: a condition in the place of a text is refused", async () => {
  for (const value of [{ $ne: null }, { $gt: "" }, ["a", "b"], { "1=1 --": 1 }, { __proto__: { x: 1 } }, 1, true]) {
    const body = { name: value, path: "not-made" };
    assert.is((await rest(server, "POST /projects", { body })).status, 400, JSON.stringify(value));
  }
  assert.is((await rest(server, "GET /users?username[$ne]=x")).status, 400);
});

test("A107: an order that is not a word of the list is refused, or has no meaning", async () => {
  for (const order of ["id; drop table user", "password_hash", "(select 1)", "id desc, 1", "last_seen'--"]) {
    const sort = encodeURIComponent(order);
    for (const path of [
      `/users?order_by=${sort}`,
      `/users?sort=${sort}`,
      `/projects/${project.id}/error_tracking/errors?sort=${sort}`,
    ]) {
      assert.is((await rest(server, `GET ${path}`)).status, 400, path);
    }
  }
  const { errors } = await client.errors.listErrors({ projectId: project.id, sort: 99 as never }, client.auth);
  assert.is(errors.length, 1);
});

const lists: [name: string, found: (query: string) => Promise<number>][] = [
  [
    "errors",
    async (query) => (await client.errors.listErrors({ projectId: project.id, query }, client.auth)).errors.length,
  ],
  ["projects", async (query) => (await client.projects.listProjects({ query }, client.auth)).projects.length],
  ["users", async (query) => (await client.users.listUsers({ query }, client.auth)).users.length],
  [
    "members",
    async (query) => (await client.members.listMembers({ projectId: project.id, query }, client.auth)).members.length,
  ],
];

for (const [name, found] of lists) {
  test(`A108: signs of a pattern in a search of ${name} mean themselves, and a long one is refused`, async () => {
    const odd = "zq"; // appears in nothing that this test made
    for (const query of ["%zq", "z%q", "_zq", "zq\\", "\\%zq", "z_q", `${"%_".repeat(50)}zq`, "zq' escape 'z"]) {
      assert.is(await found(query), 0, query);
    }
    assert.is(await found(odd), 0);
    for (const query of ["%".repeat(501), "a".repeat(10_000), `${"%a".repeat(5_000)}b`]) {
      await refusedBecause("INVALID_FIELD", found(query));
    }
  });
}

test("A109: operators of a full-text search are words", async () => {
  await sendEvent(server, project, { event_id: newEventId(), message: 'NEAR(disk AND "fire")' });
  const found = async (query: string) => {
    const { errors } = await client.errors.listErrors({ projectId: project.id, query }, client.auth);
    return errors.map(({ title }) => title);
  };
  for (const query of ["NEAR(disk", '"AND"', "fire", 'disk "AND"', '"\\"fire\\""']) {
    assert.equal(await found(query), ['NEAR(disk AND "fire")'], query);
  }
  for (const query of ["NEAR(disk fire)", "^NEAR", "-boom", ")", "*"]) {
    const titles = await found(query);
    assert.ok(
      titles.every((title) => title.includes(query)),
      `${query}: ${titles.join()}`,
    );
  }
  assert.ok((await found("NOT disk")).every((title) => !title.includes("disk")));
  for (const query of ["disk OR boom", '"', "(", "col:", "AND"]) await refusedBecause("INVALID_FIELD", found(query));
});

const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");

for (const method of unary.filter(({ desc }) => "pageToken" in desc.input.field)) {
  test(`A110: ${method.name} refuses page tokens that nobody was given`, async () => {
    const forged = [
      "x",
      "%%%",
      "e30",
      "W10",
      encoded(null),
      encoded(1e9),
      encoded({ offset: 1e9 }),
      encoded(["errors", 1e9]),
      encoded([`access tokens ${project.id + 1}`, "' or 1=1 --"]),
      encoded(["' union select 1 --", 1, 1]),
      "A".repeat(100_000),
      ...injections,
    ];
    for (const pageToken of forged) {
      const answer = await call(method, Object.assign(harmlessRequest(method.desc, project.id), { pageToken }));
      assert.instance(answer, CallError, `${pageToken.slice(0, 40)} was taken`);
      const { reason } = answer as CallError;
      const refusals: ErrorReason[] = [
        ErrorReason.INVALID_PAGE_TOKEN,
        ErrorReason.ERROR_NOT_FOUND,
        ErrorReason.RELEASE_RECORD_NOT_FOUND,
      ];
      assert.ok(refusals.includes(reason), `${pageToken}: ${reason}`);
    }
  });
}

test("A110: a page token of one project or error opens no list of another, and a changed one no more than its own list", async () => {
  const other = await createProject(server);
  for (const target of [project, other]) {
    for (const name of ["one", "two", "three"]) {
      await sendEvent(server, target, { event_id: newEventId(), message: `${name} of ${target.id}` });
    }
  }
  const list = (projectId: number, pageToken = "") =>
    client.errors.listErrors({ projectId, pageSize: 1, pageToken }, client.auth);
  const { nextPageToken } = await list(project.id);
  await refusedBecause("INVALID_PAGE_TOKEN", list(other.id, nextPageToken));
  const parts = JSON.parse(Buffer.from(nextPageToken, "base64url").toString()) as unknown[];
  const at = (place: unknown) => encoded(parts.map((part, n) => (n > 0 && typeof part === "number" ? place : part)));
  for (const place of [2 ** 53 - 1, -(2 ** 53) + 1, 0]) {
    const { errors } = await list(project.id, at(place));
    for (const { projectId } of errors) assert.is(projectId, project.id);
  }
  for (const place of [1e300, "1", null, [1], { $gt: 0 }, true]) {
    await refusedBecause("INVALID_PAGE_TOKEN", list(project.id, at(place)));
  }
});

test.run();
