import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { Role } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { answered } from "../support/assert/assert-answer.ts";
import { sharedServer } from "../support/service/flow.ts";
import { newMember, personPassword } from "../support/core/person.ts";
import { createProject } from "../support/core/project.ts";
import { rest } from "../support/rest/rest.ts";
import { envelope, newEventId, sentryAuth } from "../support/sentry/send.ts";
import { storedEventCount } from "../support/database/stored.ts";
import { stretched } from "../support/run/deadlines.ts";

// A transcript with curl: specification 4.1 word for word, then 4.2 with the keys that came of it.

interface ClientKey {
  readonly id: number;
  readonly public_key: string;
  readonly sentry_dsn: string;
  readonly legacy_dsn: string;
}

const { server, client } = await sharedServer();
const project = await createProject(server);
const maintainer = await newMember(client, project.id, Role.MAINTAINER);
const keys = `${server.url}/api/v4/projects/${project.id}/error_tracking/client_keys`;

/** Runs curl as a person would; its status line and body. */
async function curl(...words: string[]): Promise<{ status: number; body: unknown; text: string }> {
  const all = ["--silent", "--show-error", "--max-time", "20", "--write-out", "\n%{http_code}", ...words];
  const { stdout } = await promisify(execFile)("curl", all, { env: { PATH: process.env["PATH"] } });
  const end = stdout.lastIndexOf("\n");
  const text = stdout.slice(0, end);
  return { status: Number(stdout.slice(end + 1)), body: text === "" ? undefined : JSON.parse(text), text };
}

/** A DSN as an SDK reads it. */
function read(dsn: string): { readonly key: string; readonly secret: string; readonly base: string } {
  const { origin, username, password, pathname } = new URL(dsn);
  const [, prefix = "", id = ""] = /^(.*)\/(\d+)$/.exec(pathname) ?? [];
  return { key: username, secret: password, base: `${origin}${prefix}/api/${id}` };
}

const sendStore = (dsn: string, eventId: string, message: string) => {
  const { key, secret, base } = read(dsn);
  const auth = sentryAuth(key) + (secret === "" ? "" : `, sentry_secret=${secret}`);
  const event = { event_id: eventId, message, platform: "go" };
  return send(`${base}/store/`, auth, "application/json", JSON.stringify(event));
};

const sendEnvelope = (dsn: string, eventId: string, type: string) => {
  const { key, base } = read(dsn);
  const exception = { values: [{ type, value: "till 7", stacktrace: { frames: [{ function: "pay", lineno: 7 }] } }] };
  const event = { event_id: eventId, platform: "java", exception };
  const body = envelope(eventId, [{ type: "event" }, event]);
  return send(`${base}/envelope/`, sentryAuth(key), "application/x-sentry-envelope", body);
};

const send = (url: string, auth: string, type: string, body: string) => {
  const headers = ["--header", `X-Sentry-Auth: ${auth}`, "--header", `Content-Type: ${type}`];
  return curl("--request", "POST", ...headers, "--data-binary", body, url);
};

const titleOf = async (eventId: string) =>
  (await client.errors.getEvent({ projectId: project.id, eventId }, client.auth)).event?.title;

test("the procedure of 4.1 replaces a leaked DSN: a token, a new key, both in the list, the old one deleted and refused from the next request on", async () => {
  // 1. Create a personal access token with the API scope: a person does it, signed in.
  const { username } = maintainer;
  const { sessionToken } = await client.accounts.signIn({ username, password: personPassword });
  const made = await client.accounts.createAccessToken({ name: "rotation", scopes: ["api"] }, { token: sessionToken });
  const token = ["--header", `PRIVATE-TOKEN: ${made.token}`];

  // 2. Create a new client key with POST.
  const json = ["--header", "Content-Type: application/json"];
  const created = await curl("--request", "POST", ...token, ...json, keys);
  assert.is(created.status, 201, created.text);
  const fresh = created.body as ClientKey;

  // 3. List the keys and confirm that the new one exists. Note the key id of the old key.
  const listed = await curl(...token, keys);
  assert.is(listed.status, 200, listed.text);
  const list = listed.body as ClientKey[];
  assert.equal(
    list.find(({ id }) => id === fresh.id),
    fresh,
  );
  const leaked = list.find(({ sentry_dsn }) => sentry_dsn === project.dsn);
  assert.ok(leaked);
  assert.is.not(leaked.public_key, fresh.public_key);

  // Both work until the old one is deleted (2.2), at both endpoints (4.2).
  for (const { sentry_dsn } of [leaked, fresh]) {
    assert.is((await sendStore(sentry_dsn, newEventId(), "before")).status, 200);
    assert.is((await sendEnvelope(sentry_dsn, newEventId(), "Before")).status, 200);
  }
  const before = await storedEventCount(client, project.id);

  // 4. Delete the old key with DELETE.
  const deleted = await curl("--request", "DELETE", ...token, `${keys}/${leaked.id}`);
  assert.is(deleted.status, 200, deleted.text);
  assert.is((deleted.body as ClientKey).id, leaked.id);
  for (const sendLeaked of [sendStore, sendEnvelope]) {
    const refused = await sendLeaked(leaked.sentry_dsn, newEventId(), "Leaked");
    assert.is(refused.status, 403, refused.text);
  }
  assert.is(await storedEventCount(client, project.id), before);
  const after = (await curl(...token, keys)).body as ClientKey[];
  assert.equal(
    after.map(({ id }) => id),
    list.map(({ id }) => id).filter((id) => id !== leaked.id),
  );
  assert.is((await curl("--request", "DELETE", ...token, `${keys}/${leaked.id}`)).status, 404);

  // Then 4.2 with the new DSN: curl at both endpoints, and the tested version of an SDK.
  const [atStore, inEnvelope] = [newEventId(), newEventId()];
  const stored = await sendStore(fresh.sentry_dsn, atStore, "the till is shut");
  assert.equal([stored.status, stored.body], [200, { id: atStore }]);
  const enveloped = await sendEnvelope(fresh.sentry_dsn, inEnvelope, "TillError");
  assert.equal([enveloped.status, enveloped.body], [200, { id: inEnvelope }]);
  assert.is(await titleOf(atStore), "the till is shut");
  assert.is(await titleOf(inEnvelope), "TillError: till 7");

  const report = await sdkReport(fresh.sentry_dsn);
  assert.is(report.sdk, "7.38.0");
  assert.equal(report.statuses, [200, 200, 200]);
  assert.is(await titleOf(report.exceptionId), "PaymentError: card amex refused");
  assert.is(await titleOf(report.messageId), "the till is empty");
  assert.is(await storedEventCount(client, project.id), before + 4);
});

test("with the Monitor feature off the keys can still be replaced by 4.1", async () => {
  const other = await createProject(server);
  const [header, base] = [
    ["--header", `PRIVATE-TOKEN: ${client.auth.token}`],
    `${server.url}/api/v4/projects/${other.id}`,
  ];
  const off = await curl("--request", "PUT", ...header, "--data", "monitor_access_level=disabled", base);
  assert.is(off.status, 200, off.text);
  assert.is((off.body as { monitor_access_level: string }).monitor_access_level, "disabled");
  const path = `${base}/error_tracking/client_keys`;
  const made = await curl("--request", "POST", ...header, path);
  assert.is(made.status, 201, made.text);
  assert.is(
    ((await curl(...header, path)).body as ClientKey[]).some(({ id }) => id === other.keyId),
    true,
  );
  assert.is((await curl("--request", "DELETE", ...header, `${path}/${other.keyId}`)).status, 200);
  const left = (await curl(...header, path)).body as ClientKey[];
  assert.ok(left.some(({ id }) => id === (made.body as ClientKey).id));
  assert.not.ok(left.some(({ id }) => id === other.keyId));
});

test("the legacy DSN of a key works until the key is deleted, for senders that ask for a private key", async () => {
  const made = await answered(rest(server, `POST /projects/${project.id}/error_tracking/client_keys`), 201);
  const { id, legacy_dsn } = made.json as ClientKey;
  assert.match(new URL(legacy_dsn).password, /^[0-9a-f]{32}$/);
  const eventId = newEventId();
  assert.is((await sendStore(legacy_dsn, eventId, "the runner failed")).status, 200);
  assert.is(await titleOf(eventId), "the runner failed");
  assert.is((await sendEnvelope(legacy_dsn, newEventId(), "RunnerError")).status, 200);
  await answered(rest(server, `DELETE /projects/${project.id}/error_tracking/client_keys/${id}`), 200);
  assert.is((await sendStore(legacy_dsn, newEventId(), "late")).status, 403);
});

test("a token without the scope api lists ids and times of keys, and sees no key and no DSN in any interface", async () => {
  const other = await createProject(server);
  const path = `${server.url}/api/v4/projects/${other.id}/error_tracking`;
  const { token } = await newMember(client, other.id, Role.MAINTAINER, ["read_api"]);
  const header = ["--header", `PRIVATE-TOKEN: ${token}`];
  const listed = await curl(...header, `${path}/client_keys`);
  assert.is(listed.status, 200, listed.text);
  const whole = (await curl("--header", `PRIVATE-TOKEN: ${client.auth.token}`, `${path}/client_keys`)).body;
  const hidden = { public_key: null, sentry_dsn: null, legacy_dsn: null };
  assert.equal(
    listed.body,
    (whole as ClientKey[]).map((key) => ({ ...key, ...hidden })),
  );
  const settings = await curl(...header, `${path}/settings`);
  assert.equal([settings.status, (settings.body as { dsn: unknown }).dsn], [200, null]);

  const { clientKeys } = await client.clientKeys.listClientKeys({ projectId: other.id }, { token });
  assert.equal(
    clientKeys.map(({ keyId, publicKey, dsn, legacyDsn }) => [keyId, publicKey, dsn, legacyDsn]),
    (whole as ClientKey[]).map(({ id }) => [id, "", "", ""]),
  );
  assert.ok(clientKeys.every(({ createdTime }) => createdTime));
  assert.is((await client.settings.getSettings({ projectId: other.id }, { token })).settings?.dsn, "");
});

test("a token without the scope api makes no keys, and nobody reads them without a token", async () => {
  const reader = await newMember(client, project.id, Role.MAINTAINER, ["read_api"]);
  const header = ["--header", `PRIVATE-TOKEN: ${reader.token}`];
  const refused = await curl("--request", "POST", ...header, keys);
  assert.equal([refused.status, (refused.body as { error: string }).error], [403, "insufficient_scope"]);
  assert.equal(
    [(await curl(keys)).status, (await curl(keys)).body],
    [401, { message: "401 Unauthorized", reason: "TOKEN_REQUIRED" }],
  );
});

/** The reports of the tested version of @sentry/node in a separate process. */
async function sdkReport(
  dsn: string,
): Promise<{ exceptionId: string; messageId: string; statuses: number[]; sdk: string }> {
  const program = join(import.meta.dirname, "../sdk/node-7.38.0.cjs");
  const { stdout } = await promisify(execFile)(process.execPath, [program, dsn], { timeout: stretched(20_000) });
  return JSON.parse(stdout) as Awaited<ReturnType<typeof sdkReport>>;
}

test.run();
