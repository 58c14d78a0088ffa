import { createHmac, hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Backend, Role } from "@faultline/proto";
import { Client, credentials, Metadata, status } from "@grpc/grpc-js";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { withoutReason } from "../../support/assert/assert-answer.ts";
import { callTrpc, sessionCookie, signInByForm, tokenIn } from "../../support/console/console.ts";
import { databaseOf } from "../../support/database/database-of.ts";
import { runningServer } from "../../support/service/flow.ts";
import { http } from "../../support/http/http.ts";
import { rowsOfServer, tablesOfServer } from "../../support/database/other-process.ts";
import { newMember, personPassword } from "../../support/core/person.ts";
import { createProject } from "../../support/core/project.ts";
import { rejects } from "../../support/assert/rejects.ts";
import { rest } from "../../support/rest/rest.ts";
import { rootPassword, rootToken } from "../../support/service/server.ts";
import { promised } from "../../support/run/deadlines.ts";
import { until } from "../../support/run/until.ts";

/** Attacks with tokens that are in the wrong place, of the wrong kind or over. */

const { server, client } = await runningServer();
const project = await createProject(server);
const signIn = async () => ({
  token: (await client.accounts.signIn({ username: "root", password: rootPassword })).sessionToken,
});

const inQuery = ["private_token", "PRIVATE-TOKEN", "access_token", "token", "job_token", "authorization"];
for (const name of inQuery) {
  test(`A83: a token in the query as ${name} is not accepted`, async () => {
    for (const path of ["/user", `/projects/${project.id}/error_tracking/client_keys`]) {
      const query = new URLSearchParams({ [name]: rootToken });
      assert.is((await rest(server, `GET ${path}?${query}`, { token: null })).status, 401);
    }
  });
}

test("A83: a token in the body is not accepted", async () => {
  const body = { private_token: rootToken, access_token: rootToken, name: "x", path: "not-made" };
  assert.is((await rest(server, "POST /projects", { body, token: null })).status, 401);
});

test("A83: pages and procedures take no token from the query", async () => {
  const query = new URLSearchParams({ private_token: rootToken, access_token: rootToken, input: "{}" });
  const page = await http(`${server.url}/-/projects?${query}`);
  assert.is(page.status, 303);
  assert.is((await http(`${server.url}/-/trpc/accounts.getCurrentUser?${query}`)).status, 401);
});

/** Every column of every row, with the tables they are in. */
async function everyValue(): Promise<readonly [place: string, value: string][]> {
  const values: [string, string][] = [];
  for (const table of await tablesOfServer(server)) {
    for (const row of await rowsOfServer(server, `select * from "${table}"`)) {
      for (const [column, value] of Object.entries(row)) {
        const text = value instanceof Uint8Array ? Buffer.from(value).toString("latin1") : String(value);
        values.push([`${table}.${column}`, text]);
      }
    }
  }
  return values;
}

test("A84: of tokens and links the database holds a keyed digest alone, and of passwords an argon2id hash", async () => {
  const session = await signIn();
  const { token } = await client.accounts.createAccessToken({ name: "A84", scopes: ["api"] }, session);
  const { user } = await client.users.createUser({ username: "a84" }, client.auth);
  const linkToken = ({ url }: { url: string }) => url.split("/").at(-1) ?? "";
  const reset = linkToken(await client.users.createPasswordReset({ userId: user?.userId ?? 0 }, session));
  const invitation = linkToken(
    await client.members.createInvitation({ projectId: project.id, role: Role.GUEST }, session),
  );
  const { pepper } = JSON.parse(readFileSync(join(server.dataDir, "secrets.json"), "utf8")) as { pepper: string };
  const digestOf = (purpose: string, secret: string) =>
    createHmac("sha256", Buffer.from(pepper, "base64")).update(`${purpose}\0${secret}`).digest("hex");
  const values = await everyValue();
  const placesOf = (text: string) => values.filter(([, value]) => value.includes(text)).map(([place]) => place);
  const stored: [secret: string, purpose: string, place: string][] = [
    [token, "access token", "access_token.token_digest"],
    [session.token, "session", "session.token_digest"],
    [invitation, "invitation", "invitation.token_digest"],
    [reset, "password reset", "password_reset.token_digest"],
  ];
  for (const [secret, purpose, place] of stored) {
    assert.equal(placesOf(secret), [], `${purpose} as it is`);
    assert.equal(placesOf(secret.slice(4, 30)), [], `${purpose} in part`);
    assert.equal(placesOf(hash("sha256", secret)), [], `${purpose} without a key`);
    assert.equal(placesOf(digestOf(purpose, secret)), [place]);
  }
  assert.equal(placesOf(rootPassword), []);
  for (const column of ["identity.verifier", "user.password_hash"]) {
    const hashes = values.filter(([place, value]) => place === column && value !== "").map(([, value]) => value);
    assert.ok(hashes.length > 0 && hashes.every((value) => value.startsWith("$argon2id$")), column);
  }
});

test("A84: a token has a prefix for scanners, more than 160 random bits and a checksum", async () => {
  const session = await signIn();
  const made = await Promise.all(
    Array.from({ length: 50 }, (_, n) =>
      client.accounts.createAccessToken({ name: `many ${n}`, scopes: ["api"] }, session),
    ),
  );
  const tokens = made.map(({ token }) => token);
  assert.is(new Set(tokens).size, 50);
  for (const token of tokens) assert.match(token, /^flp_[0-9A-Za-z]{42}$/); // 36 of them random: 214 bits
});

test("A85: a token is found by its keyed digest in a unique index, so that no comparison reveals how much is right", async () => {
  for (const table of ["session", "access_token", "invitation", "password_reset"]) {
    if (databaseOf(server.dataDir) === undefined) {
      const [plan] = await rowsOfServer(server, `explain query plan select * from ${table} where token_digest = 'x'`);
      assert.match(String(plan?.["detail"]), /SEARCH \w+ USING (COVERING )?INDEX \S+ \(token_digest=\?\)/);
    }
    const unique = await rowsOfServer(
      server,
      databaseOf(server.dataDir) === undefined
        ? `select 1 from pragma_index_list('${table}') l join pragma_index_info(l.name) i on i.name = 'token_digest' where l."unique"`
        : `select 1 from pg_catalog.pg_indexes where tablename = '${table}' and indexdef ~ 'UNIQUE.*\\(token_digest\\)$'`,
    );
    assert.is(unique.length, 1, table);
  }
});

const apiToken = rootToken;
const wrongHeaders: [claim: string, headers: readonly string[]][] = [
  ["no token", []],
  ["an empty token", ["PRIVATE-TOKEN", ""]],
  ["an empty Bearer", ["Authorization", "Bearer "]],
  ["a token of 10 kB", ["PRIVATE-TOKEN", "x".repeat(10_000)]],
  ["a made token of 10 kB", ["PRIVATE-TOKEN", `flp_${"x".repeat(10_000)}`]],
  ["two different tokens", ["PRIVATE-TOKEN", apiToken, "PRIVATE-TOKEN", "flp_other"]],
  ["two different headers", ["PRIVATE-TOKEN", apiToken, "Authorization", "Bearer flp_other"]],
  ["two different Bearers", ["Authorization", `Bearer ${apiToken}`, "Authorization", "Bearer flp_other"]],
  ["tokens joined by a comma", ["PRIVATE-TOKEN", `${apiToken}, ${apiToken}`]],
  ["another letter case", ["PRIVATE-TOKEN", apiToken.toUpperCase()]],
  ["a part of it", ["PRIVATE-TOKEN", apiToken.slice(0, -1)]],
  ["more than it", ["PRIVATE-TOKEN", `${apiToken}x`]],
  ["Basic instead of Bearer", ["Authorization", `Basic ${Buffer.from(`root:${apiToken}`).toString("base64")}`]],
  [
    "the name and password of a person",
    ["Authorization", `Basic ${Buffer.from(`root:${rootPassword}`).toString("base64")}`],
  ],
  ["a header of another name", ["JOB-TOKEN", apiToken]],
  ["a pattern of SQL", ["PRIVATE-TOKEN", "%"]],
  ["a condition of SQL", ["PRIVATE-TOKEN", "' or 1=1 --"]],
  ["a client key", ["PRIVATE-TOKEN", project.key]],
];

for (const [claim, headers] of wrongHeaders) {
  test(`A86: over REST ${claim} is answered 401`, async () => {
    const answer = await http(`${server.url}/api/v4/user`, { headers: ["Host", new URL(server.url).host, ...headers] });
    assert.is(answer.status, 401, answer.text);
    assert.equal(withoutReason(answer.json), { message: "401 Unauthorized" });
  });
}

test("A86: over gRPC wrong authorization is refused with UNAUTHENTICATED", async () => {
  const channel = new Client(server.grpcAddress, credentials.createInsecure());
  const same = (bytes: Buffer) => bytes;
  const codeFor = (values: readonly string[]) => {
    const metadata = new Metadata();
    for (const value of values) metadata.add("authorization", value);
    return new Promise<string | undefined>((resolve) => {
      const path = "/faultline.v1.AccountService/GetCurrentUser";
      channel.makeUnaryRequest(path, same, same, Buffer.alloc(0), metadata, (error) =>
        resolve(status[error?.code ?? 0]),
      );
    });
  };
  const wrong = [
    [],
    [""],
    ["Bearer"],
    ["Bearer  "],
    [rootToken],
    [`Basic ${rootToken}`],
    [`Bearer ${rootToken} ${rootToken}`],
    [`Bearer ${"x".repeat(10_000)}`],
    [`Bearer ${rootToken}, Bearer flp_other`],
  ];
  for (const values of wrong) assert.is(await codeFor(values), "UNAUTHENTICATED", values.join(" | ").slice(0, 100));
  assert.is(await codeFor([`Bearer ${rootToken}`]), "OK");
  channel.close();
});

test("A86: a scope is taken in its own letters alone, and one that reads does not write", async () => {
  const session = await signIn();
  for (const scopes of [["API"], ["Api"], ["api "], ["api read_api"], ["*"], ["sudo"], [""], []]) {
    await rejects(client.accounts.createAccessToken({ name: "x", scopes }, session), "INVALID_ARGUMENT");
  }
  const reader = await newMember(client, project.id, Role.OWNER, ["read_api"]);
  const keys = `/projects/${project.id}/error_tracking/client_keys`;
  assert.is((await rest(server, `GET ${keys}`, reader)).status, 200);
  for (const call of [`POST ${keys}`, `DELETE ${keys}/${project.keyId}`, `DELETE /projects/${project.id}`]) {
    const answer = await rest(server, call, reader);
    assert.is(answer.status, 403);
    assert.is((answer.json as { error: string }).error, "insufficient_scope");
  }
});

test("A87: a revoked token is refused immediately at every entry point, and its streams end within a second", async () => {
  const person = await newMember(client, project.id, Role.REPORTER);
  const auth = { token: person.token };
  const { accessToken } = await client.accounts.getAccessToken({}, auth);
  const doors = [
    async () => (await rest(server, `GET /projects/${project.id}/error_tracking/errors`, person)).status,
    async () =>
      (await http(`${server.url}/api/v4/user`, { headers: { Authorization: `Bearer ${person.token}` } })).status,
    () =>
      client.errors.listErrors({ projectId: project.id }, auth).then(
        () => 200,
        ({ code }: { code: number }) => (code === 16 ? 401 : code),
      ),
  ];
  assert.equal(await Promise.all(doors.map((ask) => ask())), [200, 200, 200]);
  let streamEnd: unknown;
  let hasEnded = false;
  const stream = (async () => {
    for await (const _ of client.errors.watchErrors({ projectId: project.id }, auth));
  })().catch((error: unknown) => ([streamEnd, hasEnded] = [error, true]));
  await client.accounts.revokeAccessToken({ tokenId: accessToken?.tokenId ?? 0 }, client.auth);
  assert.equal(await Promise.all(doors.map((ask) => ask())), [401, 401, 401]);
  await until("the end of the stream", () => hasEnded, { deadlineMs: promised(1_000) });
  await stream;
  assert.is((streamEnd as { code: number }).code, status.UNAUTHENTICATED);
});

test("A87: a session that signed out is refused immediately by pages, procedures and gRPC, and its live updates end", async () => {
  const person = await newMember(client, project.id, Role.REPORTER);
  const cookie = sessionCookie(await signInByForm(server, { username: person.username, password: personPassword }));
  const headers = { Cookie: cookie };
  const auth = { token: tokenIn(cookie) };
  const current = () =>
    http(`${server.url}/-/trpc/accounts.getCurrentUser?input=${encodeURIComponent("{}")}`, { headers });
  const page = () => http(`${server.url}/-/projects`, { headers });
  assert.equal([(await current()).status, (await page()).status], [200, 200]);
  const input = encodeURIComponent(JSON.stringify({ projectId: project.id }));
  const live = await fetch(`${server.url}/-/trpc/errors.watchErrors?input=${input}`, { headers }); // answers once it has begun
  assert.is(live.headers.get("content-type"), "text/event-stream");
  assert.is((await callTrpc(server, "accounts.signOut", {}, headers)).status, 200);
  let ending = "";
  void live.text().then((text) => (ending = text));
  assert.equal([(await current()).status, (await page()).status], [401, 303]);
  await rejects(client.accounts.getCurrentUser({}, auth), "UNAUTHENTICATED");
  assert.match(await until("the end of live updates", () => ending, { deadlineMs: promised(1_000) }), "TOKEN_REQUIRED");
});

test("A96: nobody is answered the stored external token", async () => {
  const secret = "external-token-that-nobody-may-read";
  const external = await createProject(server);
  const path = `/projects/${external.id}/error_tracking/settings`;
  const fields = {
    projectId: external.id,
    active: true,
    backend: Backend.EXTERNAL,
    externalApiUrl: "https://sentry.example.com",
    externalAuthToken: secret,
    externalProject: { id: "1", slug: "web", name: "Web", organizationSlug: "acme", organizationName: "Acme" },
  };
  const saved = await client.settings.updateSettings(fields, client.auth);
  const shown = (value: unknown) =>
    JSON.stringify(value, (_, part: unknown) => (typeof part === "bigint" ? `${part}` : part));
  const answers = [shown(saved), (await rest(server, `PATCH ${path}`, { body: { active: true } })).text];
  for (const role of [Role.GUEST, Role.REPORTER, Role.DEVELOPER, Role.MAINTAINER, Role.OWNER]) {
    const person = await newMember(client, external.id, role);
    const auth = { token: person.token };
    const cookie = sessionCookie(await signInByForm(server, { username: person.username, password: personPassword }));
    const { project: found } = await client.projects.getProject(
      { key: { case: "projectId", value: external.id } },
      auth,
    );
    answers.push(
      (await rest(server, `GET ${path}`, person)).text,
      (await rest(server, `GET /projects/${external.id}`, person)).text,
      shown(await client.settings.getSettings({ projectId: external.id }, auth).catch(String)),
      shown(found),
      (await http(`${server.url}/${found?.path}/-/settings/monitor`, { headers: { Cookie: cookie } })).text,
    );
  }
  assert.ok(
    answers.some((text) => text.includes("sentry.example.com")),
    "no answer shows the settings",
  );
  for (const text of answers) assert.not.match(text, secret);
});

test.run();
