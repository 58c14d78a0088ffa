// limit: 180 s
import { globSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { toJson, type DescMessage, type MessageShape } from "@bufbuild/protobuf";
import { Backend, ErrorStatus, Role, services } from "@faultline/proto";
import { CallError, connect } from "@faultline/proto/grpc";
import { credentials } from "@grpc/grpc-js";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { coreMethods, harmlessRequest, restEntrances, trpcEntrances } from "../../permissions/operations.ts";
import { callTrpc, cookiesSet, postForm, signInByForm } from "../../support/console/console.ts";
import { withPluginPages } from "../../support/console/plugin-pages.ts";
import { databaseOf } from "../../support/database/database-of.ts";
import { runningServer } from "../../support/service/flow.ts";
import { http, type HttpAnswer } from "../../support/http/http.ts";
import { newMember, newPerson } from "../../support/core/person.ts";
import { execSql, liesInDatabase, rowsOfServer, takeDatabase } from "../../support/database/other-process.ts";
import { createProject } from "../../support/core/project.ts";
import { rest } from "../../support/rest/rest.ts";
import { newEventId, post, sendEvent } from "../../support/sentry/send.ts";
import { repositoryRoot, rootPassword, rootToken } from "../../support/service/server.ts";

/**
 * One long day of an installation at the most verbose log level, with failures. The test knows every secret of it, and
 * searches each answer, each line of the log and each file for all of them. A secret may appear in these places: a
 * session, token or link in the one answer that creates it, and in the address of the link's own page; a client key in
 * what Maintainers see of it, and in answers that this test makes; the encryption keys in secrets.json.
 */

/** Reports each connection that the process opens, so that nothing calls home unnoticed. */
const connectionReporter = `
  import net from "node:net";
  import dns from "node:dns";
  import dgram from "node:dgram";
  const report = (what) => process.stderr.write("OUTGOING " + JSON.stringify(what) + "\\n");
  const { connect } = net.Socket.prototype;
  net.Socket.prototype.connect = function (...given) {
    const [options] = Array.isArray(given[0]) ? given[0] : given;
    report(typeof options === "object" ? (options.path ?? options.host ?? "localhost") : String(given[1] ?? "localhost"));
    return connect.apply(this, given);
  };
  const { lookup } = dns;
  dns.lookup = (name, ...more) => (report(name), lookup(name, ...more));
  const { send } = dgram.Socket.prototype;
  dgram.Socket.prototype.send = function (...given) { report("datagram"); return send.apply(this, given); };
`;

const { server, client } = await runningServer({
  env: {
    FAULTLINE_LOG_LEVEL: "trace",
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(connectionReporter)}`,
  },
});
const connection = connect(server.grpcAddress, credentials.createInsecure());
test.after(() => connection.close());

/** The secrets by what they are. */
const secrets = new Map<string, string>([
  ["the configured password", rootPassword],
  ["the configured token", rootToken],
]);

interface Answer {
  readonly what: string;
  readonly text: string;
  /** The secrets that this answer is for. */
  readonly mayHold: readonly string[];
}
const answers: Answer[] = [];

const text = (value: unknown) =>
  JSON.stringify(value, (_, part: unknown) => (typeof part === "bigint" ? `${part}` : part)) ?? "";

/** Notes a secret, and hands it back. */
function secret(name: string, value: string): string {
  assert.ok(value.length >= 16, `${name}: ${value}`);
  secrets.set(name, value);
  return value;
}

/** Notes what a call of any door answered, refusals included. */
async function noted<T>(what: string, call: Promise<T>, ...mayHold: string[]): Promise<T> {
  const answer = await call.catch((error: unknown) => {
    answers.push({ what, text: error instanceof Error ? `${error.stack} ${text(error)}` : String(error), mayHold });
    throw error;
  });
  const isHttp = typeof answer === "object" && answer !== null && "headers" in answer && "text" in answer;
  const { text: body, headers } = isHttp ? (answer as unknown as HttpAnswer) : { text: text(answer), headers: {} };
  answers.push({ what, text: `${text(headers)}\n${body}`, mayHold });
  return answer;
}

/** A call that must be refused or fail. */
async function refused(what: string, call: Promise<unknown>, ...mayHold: string[]): Promise<void> {
  const answer = await noted(what, call, ...mayHold).catch((error: unknown) => error);
  if (answer instanceof Error) return assert.instance(answer, CallError, `${what}: ${answer}`);
  assert.ok((answer as HttpAnswer).status >= 400, `${what}: ${text(answer)}`);
}

const linkToken = ({ url }: { url: string }) => url.split("/").at(-1) ?? "";
const externalToken = secret("the external token", "external-canary-token-0123456789");
const externalUrl = "https://sentry.canary.example";
const ownDsnKey = secret("the key of the own-error DSN", "cafebabecafebabecafebabecafebabe");
const personPassword = secret("a person's password", "canary password of a person");
const newPassword = secret("a person's next password", "canary password, the next one");
const mistyped = secret("a mistyped password", "canary password, mistyped");

const project = await createProject(server);
const key = [secret("a client key", project.key), "a client key"];
const [, clientKey = ""] = key;
secret("a client key's secret", /:([0-9a-f]{32})@/.exec(project.legacyDsn)?.[1] ?? "");
const shownToMaintainers = [clientKey, "a client key's secret", "a second client key", "a second client key's secret"];
const { project: row } = await client.projects.getProject(
  { key: { case: "projectId", value: project.id } },
  client.auth,
);
const projectPath = row?.path ?? "";
const { pepper, keys } = JSON.parse(readFileSync(join(server.dataDir, "secrets.json"), "utf8")) as {
  pepper: string;
  keys: { secret: string }[];
};
secret("the pepper", pepper);
secret("the encryption key", keys[0]?.secret ?? "");

/** Makes the service fail in what needs a table, while `work` runs. */
async function without(table: string, work: () => Promise<unknown>): Promise<void> {
  await execSql(server.dataDir, `alter table ${table} rename to hidden`);
  await work().finally(() => execSql(server.dataDir, `alter table hidden rename to ${table}`));
}

/** Makes the service fail when it adds to a table, so that the statement itself is what failed, while `work` runs. */
async function refusing(table: string, work: () => Promise<unknown>): Promise<void> {
  const canary = `create trigger canary before insert on "${table}"`;
  const [make, remove] =
    databaseOf(server.dataDir) === undefined
      ? [`${canary} begin select raise(fail, 'no room'); end`, "drop trigger canary"]
      : [
          `create function canary() returns trigger language plpgsql as $$ begin raise exception 'no room'; end $$;
          ${canary} for each row execute function canary()`,
          "drop function canary() cascade",
        ];
  await execSql(server.dataDir, make);
  await work().finally(() => execSql(server.dataDir, remove));
}

let session = { token: "" };
let cookie = "";

test("A97: secrets are made in every interface", async () => {
  const signedIn = await noted(
    "gRPC SignIn",
    client.accounts.signIn({ username: "root", password: rootPassword }),
    "a session",
  );
  session = { token: secret("a session", signedIn.sessionToken) };
  const form = await noted("sign-in form", signInByForm(server), "a session in a cookie");
  cookie =
    cookiesSet(form)
      .find((one) => one.includes("fls_"))
      ?.split(";", 1)[0] ?? "";
  secret("a session in a cookie", cookie.split("=")[1] ?? "");

  const request = { name: "canary", scopes: ["api"] };
  const made = await noted("gRPC CreateAccessToken", client.accounts.createAccessToken(request, session), "a token");
  secret("a token", made.token);
  const rotation = await noted(
    "REST rotate",
    rest(server, "POST /personal_access_tokens/self/rotate", { token: made.token }),
    "a rotated token",
  );
  secret("a rotated token", (rotation.json as { token: string }).token);
  const byPage = await noted(
    "tRPC createToken",
    callTrpc(server, "accounts.createAccessToken", request, { Cookie: cookie }),
    "a token by the console",
  );
  secret("a token by the console", /"token":"(flp_\w+)"/.exec(byPage.text)?.[1] ?? "");

  const ofProject = { projectId: project.id };
  const invitation = await noted(
    "gRPC CreateInvitation",
    client.members.createInvitation({ ...ofProject, role: Role.GUEST }, session),
    "an invitation",
  );
  secret("an invitation", linkToken(invitation));
  const restInvitation = await noted(
    "REST invitation",
    rest(server, `POST /projects/${project.id}/invitations`, { body: { access_level: 10 }, token: rootToken }),
    "an invitation by REST",
  );
  if (restInvitation.status === 201) {
    secret("an invitation by REST", /(fli_\w+)/.exec(restInvitation.text)?.[1] ?? "");
  }
  const person = await client.users.createUser({ username: "canary", password: personPassword }, client.auth);
  const userId = person.user?.userId ?? 0;
  const reset = await noted("gRPC reset", client.users.createPasswordReset({ userId }, session), "a password link");
  secret("a password link", linkToken(reset));

  const second = await noted(
    "gRPC CreateClientKey",
    client.clientKeys.createClientKey(ofProject, client.auth),
    ...shownToMaintainers,
  );
  secret("a second client key", second.clientKey?.publicKey ?? "");
  secret("a second client key's secret", /:([0-9a-f]{32})@/.exec(second.clientKey?.legacyDsn ?? "")?.[1] ?? "");
  const external = {
    ...ofProject,
    active: true,
    backend: Backend.INTEGRATED,
    externalApiUrl: externalUrl,
    externalAuthToken: externalToken,
  };
  await noted("gRPC UpdateSettings", client.settings.updateSettings(external, client.auth), ...shownToMaintainers);
  const dsn = `https://${ownDsnKey}@127.0.0.1:9/1`;
  await noted("gRPC own errors", client.instance.updateOwnErrorReporting({ dsn }, client.auth));
  await noted(
    "tRPC own errors",
    callTrpc(server, "instance.updateOwnErrorReporting", { dsn, enabled: false }, { Cookie: cookie }),
  );

  const personal = await noted(
    "sign-in form of a person",
    signInByForm(server, { username: "canary", password: personPassword }),
    "a person's session",
  );
  const personCookie =
    cookiesSet(personal)
      .find((one) => one.includes("fls_"))
      ?.split(";", 1)[0] ?? "";
  secret("a person's session", personCookie.split("=")[1] ?? "");
  const changed = await noted(
    "gRPC ChangePassword",
    client.accounts.changePassword(
      { currentPassword: personPassword, newPassword },
      { token: personCookie.split("=")[1] },
    ),
    "a person's next session",
  );
  secret("a person's next session", changed.sessionToken);
  const registered = await noted(
    "gRPC RegisterByInvitation",
    client.members.registerByInvitation({
      token: linkToken(await client.members.createInvitation({ ...ofProject, role: Role.REPORTER }, session)),
      username: "registered",
      password: personPassword,
    }),
    "a session by invitation",
  );
  secret("a session by invitation", registered.sessionToken);
  await sendEvent(server, project, { event_id: newEventId(), message: "boom", release: "1.0" });
});

test("A97: secrets come back in calls that are refused", async () => {
  const link = secrets.get("an invitation") ?? "";
  const resetLink = secrets.get("a password link") ?? "";
  const wrong = `${rootToken}x`;
  secret("a mistyped token", wrong);
  await refused("REST wrong token", rest(server, "GET /user", { token: wrong }));
  await refused("gRPC wrong token", client.accounts.getCurrentUser({}, { token: wrong }));
  await refused("gRPC mistyped password", client.accounts.signIn({ username: "root", password: mistyped }));
  await refused("mistyped password in a form", signInByForm(server, { password: mistyped }));
  await refused(
    "password in the place of the name",
    signInByForm(server, { username: "x".repeat(300), password: mistyped }),
  );
  await refused("gRPC weak password", client.users.createUser({ username: "weak", password: "short" }, client.auth));
  await refused(
    "gRPC password of a taken name",
    client.users.createUser({ username: "canary", password: personPassword }, client.auth),
  );
  await refused("gRPC broken link", client.members.getInvitation({ token: `${link}x` }));
  await refused(
    "gRPC registration",
    client.members.registerByInvitation({ token: link, username: "no name!", password: personPassword }),
  );
  await refused(
    "registration form",
    postForm(server, `/-/invitations/${link}?/register`, { username: "no name!", password: personPassword }),
    "an invitation", // it is the link's own page
  );
  await refused("reset form", postForm(server, `/-/password_resets/${resetLink}`, { password: "short" }));
  await refused("unknown procedure", callTrpc(server, "accounts.nothing", { token: rootToken }, { Cookie: cookie }));
  await refused(
    "JSON that is none",
    http(`${server.url}/-/trpc/accounts.changePassword`, {
      method: "POST",
      headers: { Cookie: cookie, Origin: server.url, "Content-Type": "application/json" },
      body: `{"currentPassword":"${rootPassword}","newPassword":`,
    }),
  );
  await refused(
    "REST JSON that is none",
    http(`${server.url}/api/v4/users`, {
      method: "POST",
      headers: { "PRIVATE-TOKEN": rootToken, "Content-Type": "application/json" },
      body: `{"username":"x","password":"${personPassword}`,
    }),
  );
  await refused(
    "gRPC external settings",
    client.settings.updateSettings(
      {
        projectId: project.id,
        active: true,
        backend: Backend.EXTERNAL,
        externalApiUrl: "nowhere",
        externalAuthToken: externalToken,
      },
      client.auth,
    ),
  );
  await refused(
    "REST external settings",
    rest(server, `PUT /projects/${project.id}/error_tracking/settings`, {
      body: { active: "?", integrated: false, api_host: externalUrl, token: externalToken },
    }),
  );
  await refused(
    "gRPC external projects",
    client.settings.listExternalProjects(
      { projectId: project.id, externalApiUrl: externalUrl, externalAuthToken: externalToken },
      client.auth,
    ),
  );
  const query = new URLSearchParams({ api_host: externalUrl, token: externalToken });
  await refused(
    "projects.json",
    http(`${server.url}/${projectPath}/-/error_tracking/projects.json?${query}`, {
      headers: { "PRIVATE-TOKEN": rootToken },
    }),
  );
  await refused(
    "own-error DSN",
    client.instance.updateOwnErrorReporting({ dsn: `https://${ownDsnKey}@` }, client.auth),
  );
  await refused("event to another project", post(server, { id: 999, key: project.key }, "store", "{}"));
  await refused("event that is none", post(server, project, "store", `{"message": "${ownDsnKey.slice(0, 4)}`));
});

test("A97: secrets come in calls that fail while the database does", async () => {
  const ofProject = { projectId: project.id };
  const save = { ...ofProject, externalApiUrl: externalUrl, externalAuthToken: externalToken };
  const users = { username: "fails", password: personPassword };
  await without("settings", () =>
    refused("INTERNAL UpdateSettings", client.settings.updateSettings(save, client.auth)),
  );
  await without("client_key", async () => {
    await refused("INTERNAL CreateClientKey", client.clientKeys.createClientKey(ofProject, client.auth));
    await refused("INTERNAL keys by REST", rest(server, `GET /projects/${project.id}/error_tracking/client_keys`));
    await refused("INTERNAL event", post(server, { id: project.id, key: "f".repeat(32) }, "store", "{}"));
  });
  await without("access_token", async () => {
    const request = { name: "fails", scopes: ["api"] };
    await refused("INTERNAL CreateAccessToken", client.accounts.createAccessToken(request, session));
    await refused("INTERNAL token", client.accounts.getCurrentUser({}, { token: `flp_unknown-${rootToken}` }));
    await refused("INTERNAL token by REST", rest(server, "GET /user", { token: `flp_unknown-${rootToken}` }));
  });
  await without("invitation", async () => {
    const link = { token: secrets.get("an invitation") ?? "" };
    const invite = { ...ofProject, role: Role.GUEST };
    await refused("INTERNAL CreateInvitation", client.members.createInvitation(invite, session));
    await refused("INTERNAL GetInvitation", client.members.getInvitation(link));
    await refused("INTERNAL registration", client.members.registerByInvitation({ ...link, ...users }));
    await refused(
      "INTERNAL registration form",
      postForm(server, `/-/invitations/${link.token}?/register`, users),
      "an invitation",
    );
    await noted("page of an invitation", http(`${server.url}/-/invitations/${link.token}`), "an invitation");
  });
  await without("password_reset", async () => {
    const link = { token: secrets.get("a password link") ?? "" };
    await refused("INTERNAL CreatePasswordReset", client.users.createPasswordReset({ userId: 1 }, session));
    await refused("INTERNAL ResetPassword", client.users.resetPassword({ ...link, password: newPassword }));
    await refused(
      "INTERNAL reset form",
      postForm(server, `/-/password_resets/${link.token}`, { password: newPassword }),
      "a password link",
    );
    await noted("page of a password link", http(`${server.url}/-/password_resets/${link.token}`), "a password link");
  });
  await without("session", async () => {
    await refused("INTERNAL SignIn", client.accounts.signIn({ username: "root", password: rootPassword }));
    await refused("INTERNAL sign-in form", signInByForm(server));
    await refused("INTERNAL session", client.accounts.getCurrentUser({}, { token: `fls_unknown-${rootToken}` }));
  });
  await without("own_error_reporting", () =>
    refused(
      "INTERNAL own errors",
      client.instance.updateOwnErrorReporting({ dsn: `https://${ownDsnKey}@127.0.0.1:9/1` }, client.auth),
    ),
  );
  await refusing("user", () => refused("refused user", client.users.createUser(users, client.auth)));
  await refusing("access_token", () => {
    const request = { name: "refused", scopes: ["api"] };
    return refused("refused token", client.accounts.createAccessToken(request, session));
  });
  await refusing("session", () => refused("refused session", signInByForm(server)));
  await refusing("client_key", () => refused("refused key", client.clientKeys.createClientKey(ofProject, client.auth)));
  await without("audit_event", () =>
    noted("audit fails", client.users.createUser(users, client.auth)).catch(() => undefined),
  );
  const giveBack = await takeDatabase(server.dataDir);
  await Promise.all([
    refused("locked event", sendEvent(server, project, { event_id: newEventId(), message: "refused" })),
    refused("locked CreateUser", client.users.createUser({ ...users, username: "locked" }, client.auth)),
    refused("locked UpdateSettings", client.settings.updateSettings(save, client.auth)),
    refused(
      "locked CreateAccessToken",
      client.accounts.createAccessToken({ name: "locked", scopes: ["api"] }, session),
    ),
  ]).finally(giveBack);
});

const changesSomething =
  /\.(Create|Update|Delete|Remove|Revoke|Rotate|Add|Accept|Restore|End|Sign|Change|Report|Register|Reset)/;

test("A97: everything that can be read is read, by an owner and by a reporter", async () => {
  const reporter = await newMember(client, project.id, Role.REPORTER);
  const owner = await newMember(client, project.id, Role.OWNER);
  const readingOwner = await newMember(client, project.id, Role.OWNER, ["read_api"]);
  const readingAdministrator = await newPerson(client, { isAdmin: true, scopes: ["read_api"] });
  secret("an owner's token", owner.token);
  secret("an owner's token for reading", readingOwner.token);
  secret("an administrator's token for reading", readingAdministrator.token);
  secret("a reporter's token", reporter.token);
  const { errors } = await client.errors.listErrors({ projectId: project.id }, client.auth);
  const errorId = errors[0]?.errorId ?? "";
  const all = { projectId: project.id, newStatus: ErrorStatus.IGNORED, expectedCount: errors.length };
  const { bulkUpdate } = await client.bulkUpdates.createBulkUpdate(all, client.auth);
  const bulkUpdateId = String(bulkUpdate?.bulkUpdateId);
  const ids: Readonly<Record<string, string>> = {
    project: String(project.id),
    error_id: errorId,
    user_id: String(owner.userId),
    token_id: "1",
    version: "1.0",
  };
  type AnyClient = Record<string, (request: MessageShape<DescMessage>, context: object) => Promise<unknown>>;
  const readers = [
    { who: "root", token: rootToken, mayHold: shownToMaintainers },
    { who: "owner", token: owner.token, mayHold: shownToMaintainers },
    { who: "owner by a token for reading", token: readingOwner.token, mayHold: [] },
    { who: "administrator by a token for reading", token: readingAdministrator.token, mayHold: [] },
    { who: "reporter", token: reporter.token, mayHold: [] },
  ];
  for (const { who, token, mayHold } of readers) {
    for (const { path } of restEntrances.filter(({ verb }) => verb === "GET")) {
      const filled = path.replace("/api/v4", "").replaceAll(/:(\w+)/g, (_, name: string) => ids[name] ?? "1");
      await noted(`REST ${filled} as ${who}`, rest(server, `GET ${filled}`, { token }), ...mayHold);
    }
    for (const { name, service, desc } of coreMethods) {
      if (desc.methodKind !== "unary" || changesSomething.test(name)) continue;
      const method = (connection.service(services[service]) as unknown as AnyClient)[desc.localName];
      assert.ok(method);
      const request = Object.assign(
        harmlessRequest(desc, project.id),
        "errorId" in desc.input.field ? { errorId } : {},
      );
      await noted(`gRPC ${name} as ${who}`, method(request, { token }), ...mayHold).catch(() => undefined);
    }
  }
  for (const { name, kind, method } of trpcEntrances) {
    if (kind !== "query") continue;
    const input = encodeURIComponent(text(toJson(method.desc.input, harmlessRequest(method.desc, project.id))));
    const call = http(`${server.url}/-/trpc/${name}?input=${input}`, { headers: { Cookie: cookie } });
    await noted(`tRPC ${name}`, call, ...shownToMaintainers);
  }
  const pages = globSync("**/+page.svelte", { cwd: join(repositoryRoot, "console/src/routes") })
    .map((file) => file.replace("+page.svelte", "").replaceAll(/\(\w+\)\//g, ""))
    .filter((page) => !page.includes("[token]"))
    .flatMap(withPluginPages)
    .map((page) =>
      page
        .replace("[...project]", projectPath)
        .replace("[key]", String(project.keyId))
        .replace("[update]", bulkUpdateId)
        .replace("[id]", page.startsWith("admin") ? "1" : errorId),
    );
  assert.ok(pages.length > 15, "the pages were not found");
  for (const page of pages) {
    const visit = http(`${server.url}/${page.replace(/\/$/, "")}`, { headers: { Cookie: cookie } });
    const { status } = await noted(`page ${page}`, visit, ...shownToMaintainers);
    assert.ok([200, 303].includes(status), `${page}: ${status}`);
  }
  await noted(
    "page of an invitation",
    http(`${server.url}/-/invitations/${secrets.get("an invitation")}`),
    "an invitation",
  );
  await noted(
    "page of a password link",
    http(`${server.url}/-/password_resets/${secrets.get("a password link")}`),
    "a password link",
  );
});

/** Which of the secrets a text holds. */
const heldBy = (held: string) => [...secrets].filter(([, value]) => held.includes(value)).map(([name]) => name);

test("A97: no answer holds a secret that it is not for", () => {
  assert.ok(answers.length > 200 && secrets.size > 20, `${answers.length} answers, ${secrets.size} secrets`);
  const leaks = answers.flatMap(({ what, text: held, mayHold }) =>
    heldBy(held).flatMap((name) => (mayHold.includes(name) ? [] : `${what} holds ${name}`)),
  );
  assert.equal(leaks, []);
});

test("A97: the answers that secrets are for do hold them, so that this search finds what is there", () => {
  const created = [
    "a session",
    "a session in a cookie",
    "a token",
    "a rotated token",
    "an invitation",
    "a password link",
  ];
  for (const name of [...created, ...shownToMaintainers]) {
    assert.ok(
      answers.some(({ text: held }) => heldBy(held).includes(name)),
      `no answer holds ${name}`,
    );
  }
});

test("A97: no line of the log holds a secret, nor what is stored of one", async () => {
  const log = server.output();
  assert.equal(heldBy(log), []);
  assert.match(log, /"level":50/, "nothing failed");
  assert.not.match(log, "$argon2id$");
  const { rows, digests } = await storedDigests();
  assert.ok(rows > 5);
  assert.equal(
    digests.filter((digest) => log.includes(digest)),
    [],
  );
});

/** The digests by which tokens, links and keys are found. */
async function storedDigests(): Promise<{ rows: number; digests: string[] }> {
  const tables = ["session", "access_token", "invitation", "password_reset"];
  const selects = [
    ...tables.map((table) => `select token_digest as digest from ${table}`),
    "select key_digest as digest from client_key",
  ];
  const rows = await rowsOfServer(server, selects.join(" union all "));
  return { rows: rows.length, digests: rows.map(({ digest }) => String(digest)) };
}

test("A97: no file and no table holds a secret as it is, but secrets.json its own", async () => {
  const files = readdirSync(server.dataDir);
  assert.ok(files.includes("secrets.json"), files.join());
  if (databaseOf(server.dataDir) === undefined) assert.ok(files.includes("faultline.db-wal"), files.join());
  else
    for (const [name, value] of secrets) {
      assert.is(await liesInDatabase(server.dataDir, value), false, name);
    }
  for (const file of files) {
    const held = heldBy(readFileSync(join(server.dataDir, file), "latin1"));
    assert.equal(held, file === "secrets.json" ? ["the pepper", "the encryption key"] : [], file);
  }
});

test("A97: the process list shows no secret, and the environment only the secrets that the operator put there", () => {
  const read = (file: string) => readFileSync(`/proc/${server.pid}/${file}`, "latin1");
  assert.equal(heldBy(read("cmdline")), []);
  assert.equal(heldBy(read("environ")), ["the configured password", "the configured token"]);
});

test("A100: the service connects to nothing outside this machine by itself", () => {
  const hosts = [...server.output().matchAll(/^OUTGOING (.*)$/gm)].map(([, host]) => JSON.parse(host ?? "") as string);
  assert.ok(hosts.length > 0, "no connection was seen, not even the console's to the core");
  assert.equal(
    [...new Set(hosts)].filter((host) => !/^(127\.0\.0\.1|localhost|::1)$/.test(host)),
    [],
  );
});

test.run();
