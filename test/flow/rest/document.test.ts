import { hash } from "node:crypto";
import { ArtifactBundleKind, Role } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { answered } from "../../support/assert/assert-answer.ts";
import { runningServer } from "../../support/service/flow.ts";
import { http, type HttpAnswer } from "../../support/http/http.ts";
import { restOperations } from "../../permissions/operations.ts";
import { rootToken } from "../../support/service/server.ts";
import { newMember } from "../../support/core/person.ts";
import { createProject } from "../../support/core/project.ts";
import { restDocument } from "../../support/rest/rest-document.ts";
import { makeSamples } from "../../support/samples/samples.ts";
import { rest } from "../../support/rest/rest.ts";
import { schemaFaults, type Schema } from "../../support/rest/schema-faults.ts";
import { envelope, newEventId, post, sendEnvelope, sendEvent } from "../../support/sentry/send.ts";
import { gitlabManner } from "../../support/trackers/gitlab.ts";
import { playedTracker } from "../../support/trackers/played-tracker.ts";
import { until } from "../../support/run/until.ts";

const tracker = await playedTracker(gitlabManner);
const { server, client } = await runningServer({
  env: {
    FAULTLINE_API_RATE_LIMIT: "1000", // its headers are described too
    FAULTLINE_OUTBOUND_NETWORKS: "127.0.0.0/8",
    FAULTLINE_OUTBOUND_PORTS: String(tracker.port),
  },
});
const project = await createProject(server);
const person = await newMember(client, project.id, Role.REPORTER);
const settings = `/projects/${project.id}/error_tracking/settings`;
const eventId = newEventId();

/** An event with everything that the document describes. */
const event = {
  event_id: eventId,
  timestamp: new Date(Date.now() - 100 * 86_400_000).toISOString(), // beyond the bound, so that there is a `time_bound`
  platform: "node",
  level: "error",
  logger: "till",
  transaction: "POST /pay",
  release: "shop@1.2.3",
  environment: "production",
  server_name: "web-1",
  logentry: { message: "paid %s of %s", params: ["1", "2"] },
  exception: {
    values: [
      {
        type: "PaymentError",
        value: "x".repeat(9000), // more than is shown, so that `trimmed` has an entry
        module: "shop",
        mechanism: { type: "onerror", handled: false, exception_id: 0, source: "cause" },
        stacktrace: {
          frames: [{ filename: "pay.js", function: "charge", lineno: 7, colno: 3, in_app: true, vars: { a: 1 } }],
        },
      },
    ],
  },
  threads: { values: [{ id: 1, name: "main", current: true, stacktrace: { frames: [{ function: "run" }] } }] },
  breadcrumbs: {
    values: [{ timestamp: new Date().toISOString(), type: "http", category: "fetch", data: { url: "/" } }],
  },
  user: { id: "42", username: "ann", email: "ann@example.com", ip_address: "192.0.2.1", plan: "gold" },
  request: {
    url: "https://shop.example/pay",
    method: "POST",
    headers: { Accept: "*/*" },
    cookies: "a=b",
    data: { a: 1 },
  },
  sdk: { name: "sentry.javascript.node", version: "7.38.0" },
  tags: { region: "eu" },
  contexts: { os: { name: "Linux" } },
  extra: { cart: [1, 2] },
  modules: { uvu: "0.5.6" },
};

await answered(sendEvent(server, project, event), 200);
await answered(sendEvent(server, project, { ...event, event_id: newEventId() }), 200);
const feedback = { event_id: eventId, name: "Ann", email: "ann@example.com", comments: "It broke." };
const session = { sid: newEventId(), did: "42", init: true, status: "exited", started: new Date().toISOString() };
await answered(
  sendEnvelope(
    server,
    project,
    envelope(
      undefined,
      [{ type: "user_report" }, feedback],
      [{ type: "session" }, { ...session, attrs: { release: event.release, environment: event.environment } }],
      [{ type: "statsd" }, {}], // is left aside, which is an outcome
    ),
  ),
  200,
);
await answered(post(server, { ...project, key: "0".repeat(32) }, "store", "{}"), 403);
const [invitation, role] = [
  { access_level: 20, note: "for Bo" },
  { name: "Triage", base_access_level: 20, update_error_tracking: true },
];
await answered(rest(server, `POST /projects/${project.id}/invitations`, { body: invitation }), 201);
const { id: roleId } = (await answered(rest(server, "POST /member_roles", { body: role }), 201)).json as { id: number };
await answered(
  rest(server, `PUT /projects/${project.id}/members/${person.userId}`, { body: { member_role_id: roleId } }),
  200,
);
const outcomesOf = async () =>
  (await rest(server, `GET /projects/${project.id}/error_tracking/outcomes`)).json as { outcomes: unknown[] };
await until("the outcomes", async () => (await outcomesOf()).outcomes.length > 1);

const errors = (await answered(rest(server, `GET /projects/${project.id}/error_tracking/errors`), 200)).json;
await answered(sendEvent(server, project, { event_id: newEventId(), message: "is deleted" }), 200);
const [noise] = (await rest(server, `GET /projects/${project.id}/error_tracking/errors?query=is+deleted`)).json as {
  id: string;
}[];
const deletion = { ids: [noise?.id], discard: true };
const deleted = await answered(
  rest(server, `POST /projects/${project.id}/error_tracking/deletions`, { body: deletion }),
  202,
);
await answered(sendEvent(server, project, { event_id: newEventId(), message: "is deleted" }), 200);
const sampled = await makeSamples(client, { projectId: project.id, errorId: String(firstId(errors)) });
const inPath = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const releases = `/projects/${project.id}/error_tracking/releases`;
const release = `${releases}/${encodeURIComponent(event.release)}`;
await answered(rest(server, `POST ${releases}`, { body: { version: event.release } }), 201);
await answered(rest(server, `PUT ${release}/commits`, { body: { commits: [{ id: "9618566" }] } }), 200);
await answered(rest(server, `POST ${release}/deploys`, { body: { environment: "production" } }), 201);
const updated = await answered(
  rest(server, `POST /projects/${project.id}/error_tracking/bulk_updates`, {
    body: { new_status: "ignored", expected_count: 1 },
  }),
  202,
);
const bulkUpdate = `/projects/${project.id}/error_tracking/bulk_updates/${firstId([updated.json])}`;
await answered(rest(server, `POST ${bulkUpdate}/undo`), 200);
await notify();
await track();
const removed = await createProject(server);
await answered(rest(server, `DELETE /projects/${removed.id}`), 202);
const mapping = Buffer.from("shop.Till -> a.a:\n");
const sha1 = hash("sha1", mapping);
await client.sourceMaps.putChunk({ sha1, content: mapping }, { token: rootToken });
await client.sourceMaps.assembleArtifactBundle(
  { projectId: project.id, checksum: sha1, chunks: [sha1], kind: ArtifactBundleKind.PROGUARD },
  { token: rootToken },
);
const tokens = (await answered(rest(server, "GET /personal_access_tokens"), 200)).json;
const named: Readonly<Record<string, string | number>> = {
  project: project.id,
  error_id: firstId(errors),
  deletion_id: firstId([deleted.json]),
  bulk_update_id: firstId([updated.json]),
  event_id: eventId,
  version: encodeURIComponent(event.release),
  user_id: person.userId,
  token_id: firstId(tokens),
  key_id: project.keyId,
  ids: firstId(errors),
  ...Object.fromEntries(Object.entries(sampled).map(([name, id]) => [inPath(name), id])),
};

/** A channel to which nothing leads, a rule of which one of two new errors matches, and what comes of it. */
async function notify(): Promise<void> {
  const of = `/projects/${project.id}/error_tracking`;
  const fields = { url: "http://127.0.0.1:1/", token: "app-token-1" };
  const channel = await answered(
    rest(server, `POST ${of}/notification_channels`, { body: { kind: "gotify", name: "Phone", fields } }),
    201,
  );
  const { id } = (channel.json as { channel: { id: number } }).channel;
  const rule = { name: "Fatal", triggers: ["created"], filter: "level:fatal", channel_ids: [id] };
  await answered(rest(server, `POST ${of}/notification_rules`, { body: rule }), 201);
  for (const level of ["fatal", "error"]) {
    await answered(sendEvent(server, project, { event_id: newEventId(), message: `a ${level} one`, level }), 200);
  }
  const isFilled = async (list: string) => ((await rest(server, `GET ${of}/${list}`)).json as unknown[]).length > 0;
  await until("the delivery", () => isFilled("notification_deliveries"));
  await until("what was not sent", () => isFilled("notification_suppressions"));
}

/** A tracker, and the issue of an error in it. */
async function track(): Promise<void> {
  const of = `/projects/${project.id}/error_tracking`;
  const body = { kind: "gitlab", name: "Issues", fields: tracker.fields };
  const made = await answered(rest(server, `POST ${of}/issue_trackers`, { body }), 201);
  const { id } = (made.json as { tracker: { id: number } }).tracker;
  const errorId = firstId(errors);
  await answered(rest(server, `POST ${of}/errors/${errorId}/issue`, { body: { tracker_id: id } }), 201);
}

function firstId(list: unknown): string | number {
  return (list as { id: string | number }[])[0]?.id ?? "";
}

for (const [path, { get }] of Object.entries(restDocument.paths)) {
  if (!get) continue;
  test(`GET ${path} answers what the document says`, async () => {
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => String(named[name]));
    const query = get.parameters.filter(({ in: place, required }) => place === "query" && required);
    const asked = query.map(({ name }) => `${name}=${named[name]}`).join("&");
    const answer = await answered(rest(server, `GET ${filled}?${asked}`), 200);
    const documented = get.responses["200"];
    assert.ok(documented && "content" in documented);
    assert.equal(
      schemaFaults(
        answer.json,
        (documented.content?.["application/json"]?.schema ?? { type: "null" }) as Schema,
        resolve,
      ),
      [],
    );
    for (const [header, about] of Object.entries(documented.headers ?? {})) {
      const mayBeAbsent = header === "Link" || ("required" in about && !about.required);
      if (!mayBeAbsent) assert.type(answer.headers[header.toLowerCase()], "string", header);
    }
    if (Array.isArray(answer.json)) assert.ok(answer.json.length > 0, "an empty list shows nothing");
  });
}

const refused: readonly [call: string, options: Parameters<typeof rest>[2], status: number][] = [
  ["GET /user", { token: null }, 401],
  ["GET /audit_events", { token: person.token }, 403],
  ["GET /projects/999999999", {}, 404],
  [`PUT ${settings}`, { body: {} }, 400],
  ["POST /projects", { body: { path: "/" } }, 400],
  ["POST /users", { body: { username: person.username } }, 409],
  [`PUT ${settings}`, { body: { active: true, integrated: true, revision: 99 } }, 409],
];
for (const [call, options, status] of refused)
  test(`the ${status} of ${call} has one of the forms of the document`, async () => {
    const { json } = await answered(rest(server, call, options), status);
    const forms = ["Message", "Fault", "TokenFault"].map((name) => ({ $ref: `#/components/schemas/${name}` }));
    assert.equal(schemaFaults(json, { anyOf: forms }, resolve), []);
  });

test("the checker sees a field that is missing, has another type or is not described", () => {
  const schema: Schema = { $ref: "#/components/schemas/Accepted" };
  assert.equal(schemaFaults({ message: "202 Accepted" }, schema, resolve), []);
  assert.equal(schemaFaults({}, schema, resolve), ["$.message: is missing"]);
  assert.equal(schemaFaults({ message: 1 }, schema, resolve), ["$.message: 1 is no string"]);
  assert.equal(schemaFaults({ message: "", more: 1 }, schema, resolve), ["$.more: is not described"]);
});

test("the document is served without a token and unchanged, and only to GET", async () => {
  const answer = await answered(http(`${server.url}/api/v4/openapi.json`), 200);
  assert.is(answer.headers["content-type"], "application/json");
  assert.equal(answer.json, JSON.parse(JSON.stringify(restDocument)));
  const refusal = await http(`${server.url}/api/v4/openapi.json`, { method: "POST" });
  assert.equal([refusal.status, refusal.headers.allow], [405, "GET, HEAD"]);
});

for (const path of ["/api/v4/openapi.json", "/api/v4/docs"])
  test(`${path} is compressed for readers that accept it, and not sent again to readers that have it`, async () => {
    const ask = (headers: Record<string, string>) => http(`${server.url}${path}`, { headers });
    const whole = await answered(ask({}), 200);
    assert.is(whole.headers["content-encoding"], undefined);
    const packed = await fetch(`${server.url}${path}`, { headers: { "Accept-Encoding": "br;q=1.0, gzip;q=0.8" } });
    assert.is(packed.headers.get("content-encoding"), "gzip");
    assert.ok(Number(packed.headers.get("content-length")) < whole.text.length / 4);
    assert.is(await packed.text(), whole.text);
    assert.is((await ask({ "Accept-Encoding": "gzip;q=0" })).headers["content-encoding"], undefined);
    const { etag = "", "cache-control": caching, vary } = whole.headers;
    assert.equal([caching, vary, packed.headers.get("etag")], ["no-cache", "accept-encoding", etag]);
    for (const tag of [etag, etag.slice(2), `"other", ${etag}`, "*"]) {
      const again = await answered(ask({ "If-None-Match": tag }), 304);
      assert.equal([again.text, again.headers.etag], ["", etag], tag);
    }
    assert.is((await ask({ "If-None-Match": '"other"' })).status, 200);
  });

test("the page has the address that its reader used", async () => {
  const hosts = ["one.example", "two.example", "three.example", "four.example", "five.example", "one.example"];
  for (const host of hosts) {
    const { text } = await http(`${server.url}/api/v4/docs`, { headers: { Host: host } });
    assert.match(text, `http://${host}/api/v4/projects`);
    assert.not.match(text, "address.invalid");
  }
});

test("each line of the page for people is answered as it is shown", async () => {
  const page = (await http(`${server.url}/api/v4/docs`)).text;
  const lines = [...page.matchAll(/<pre>([^<]*)<\/pre>/g)].map(([, line = ""]) => unescaped(line));
  assert.is(lines.length, restOperations.length);
  // Deletions come last, a parent after its parts.
  const isLast = (line: string) => (/--request DELETE|\/rotate|\/remove/.test(line) ? 1 / line.length : -1);
  const wrong: string[] = [];
  for (const line of lines.toSorted((one, other) => isLast(one) - isLast(other))) {
    const { status, text } = await typed(line);
    if (isNotSetUp(text)) continue;
    if (status === 400 || status === 405 || status === 415 || status >= 500) wrong.push(`${status} ${line}\n${text}`);
  }
  assert.equal(wrong, []);
});

/** Whether a line was refused because this installation has no mail server, or the project no external system. */
const isNotSetUp = (text: string) => /"MAIL_NOT_SET_UP"|Enter the External API URL first/.test(text);

let typedCount = 0;

/** Makes the call of a line for a shell, with the token and the names that it leaves open. */
async function typed(line: string): Promise<HttpAnswer> {
  const [, method = "GET"] = /--request (\w+)/.exec(line) ?? [];
  const [, shown] = /--data '([^']*)'/.exec(line) ?? [];
  typedCount += 1;
  const data = shown
    ?.replace('"name":"example"', `"name":"example ${typedCount}"`) // no two of a kind have one name
    .replace("<ends_at>", new Date(Date.now() + 3_600_000).toISOString())
    .replace("<since>", new Date(Date.now() - 3_600_000).toISOString())
    .replace(/"fields":\{"url":"https:\/\/gitlab[^}]*\}/, `"fields":${JSON.stringify(tracker.fields)}`)
    .replace("https://gitlab.example.com", tracker.fields["url"] ?? "");
  const [, address = ""] = /"(http[^"]*)"$/.exec(line) ?? [];
  const url = address.replace(/<(\w+)>/g, (_, name: string) => String(named[name] ?? 1));
  assert.match(line, /--header "PRIVATE-TOKEN: <token>"/);
  const type = data === undefined ? {} : { "Content-Type": "application/json" };
  const headers = { "PRIVATE-TOKEN": rootToken, ...type, "Content-Length": String(data?.length ?? 0) };
  return http(url, { method, headers, ...(data !== undefined && { body: data }) });
}

const unescaped = (text: string) =>
  text.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)));

function resolve(reference: string): Schema {
  const name = reference.slice("#/components/schemas/".length);
  return (restDocument.components.schemas as Readonly<Record<string, Schema>>)[name] ?? { enum: [] };
}

test.run();
