import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { sharedServer } from "../support/service/flow.ts";
import { http, type HttpRequest } from "../support/http/http.ts";
import { createProject } from "../support/core/project.ts";
import { envelope, newEventId, post, sentryAuth } from "../support/sentry/send.ts";

const { server, client } = await sharedServer();
const project = await createProject(server);

async function assertStored(eventId: string, message: string): Promise<void> {
  const { event } = await client.errors.getEvent({ projectId: project.id, eventId }, client.auth);
  assert.is(event?.message, message);
}

/** The paths of DSNs in front of the project: ours, and the original's. */
const dsnPaths = ["", "/api/v4/error_tracking/collector", "/errortracking/api/v1/projects"];
const prefixes = dsnPaths.map((path) => `${path}/api/ID`);
for (const prefix of prefixes)
  for (const door of ["store", "envelope"])
    for (const slash of ["/", ""])
      test(`${prefix}/${door}${slash} takes events, without a redirect`, async () => {
        const event = { event_id: newEventId(), message: `through ${prefix}` };
        const body = door === "store" ? JSON.stringify(event) : envelope(event.event_id, [{ type: "event" }, event]);
        const target = `${prefix.replace("ID", `${project.id}`)}/${door}${slash}?sentry_key=${project.key}`;
        const answer = await http(server.url + target, { method: "POST", body });
        assert.is(answer.status, 200, answer.text);
        assert.equal(answer.json, { id: event.event_id });
        await assertStored(event.event_id, event.message);
      });

for (const path of dsnPaths) {
  const door = (name: string) => `${server.url}${path}/api/${project.id}/${name}/`;

  test(`a DSN with the path "${path}/<project>" works in the envelope header, also with a secret, as in old clients`, async () => {
    for (const credentials of [project.key, `${project.key}:${"0".repeat(32)}`]) {
      const event = { event_id: newEventId(), message: "tunnelled" };
      const header = { event_id: event.event_id, dsn: `https://${credentials}@errors.example${path}/${project.id}` };
      const body = [header, { type: "event" }, event].map((line) => JSON.stringify(line)).join("\n");
      const answer = await http(door("envelope"), { method: "POST", body });
      assert.is(answer.status, 200, answer.text);
      await assertStored(event.event_id, event.message);
    }
  });

  test(`below "${path}" a legacy DSN's secret, security reports and pages of other origins are taken as well`, async () => {
    const event = { event_id: newEventId(), message: "legacy" };
    const headers = { "X-Sentry-Auth": `${sentryAuth(project.key)}, sentry_secret=${"0".repeat(32)}` };
    const stored = await http(door("store"), { method: "POST", headers, body: JSON.stringify(event) });
    assert.is(stored.status, 200, stored.text);
    await assertStored(event.event_id, event.message);

    const report = JSON.stringify({ "csp-report": { "effective-directive": "img-src", "blocked-uri": "inline" } });
    for (const name of ["security", "csp-report"]) {
      const answer = await http(`${door(name)}?sentry_key=${project.key}`, { method: "POST", body: report });
      assert.is(answer.status, 200, answer.text);
    }
    for (const name of ["store", "envelope", "security"]) {
      const preflight = await http(door(name), { method: "OPTIONS", headers: { Origin: "https://shop.example" } });
      assert.equal([preflight.status, preflight.headers["access-control-allow-origin"]], [204, "*"], name);
    }
    const unknown = await http(`${door("store")}?sentry_key=flck_${"0".repeat(32)}`, { method: "POST", body: "{}" });
    assert.is(unknown.status, 403, unknown.text);
    assert.is((await http(door("minidump"), { method: "POST" })).status, 401, "it names no key");
    assert.is((await http(door("unknown"), { method: "POST" })).status, 404);
  });
}

const basic = (key: string) => `Basic ${Buffer.from(`${key}:`).toString("base64")}`;
const keyPlaces: [place: string, request: (key: string) => HttpRequest & { query?: string }][] = [
  ["the query", (key) => ({ query: `?sentry_key=${key}` })],
  ["X-Sentry-Auth", (key) => ({ headers: { "X-Sentry-Auth": sentryAuth(key) } })],
  [
    "X-Sentry-Auth without spaces",
    (key) => ({ headers: { "X-Sentry-Auth": `Sentry sentry_version=7,sentry_key=${key}` } }),
  ],
  [
    "X-Sentry-Auth with a scheme in small letters",
    (key) => ({ headers: { "X-Sentry-Auth": `sentry sentry_key=${key}` } }),
  ],
  [
    "X-Sentry-Auth with a wrong secret",
    (key) => ({ headers: { "X-Sentry-Auth": `Sentry sentry_key=${key}, sentry_secret=x` } }),
  ],
  [
    "X-Sentry-Auth of protocol 4",
    (key) => ({ headers: { "X-Sentry-Auth": `Sentry sentry_version=4, sentry_key=${key}` } }),
  ],
  ["Authorization", (key) => ({ headers: { Authorization: sentryAuth(key) } })],
  ["Authorization, basic", (key) => ({ headers: { Authorization: basic(key) } })],
  ["query and header alike", (key) => ({ query: `?sentry_key=${key}`, headers: { "X-Sentry-Auth": sentryAuth(key) } })],
  [
    "the query, beside a bearer token",
    (key) => ({ query: `?sentry_key=${key}`, headers: { Authorization: "Bearer x" } }),
  ],
];
for (const [place, request] of keyPlaces)
  test(`the key is taken from ${place}`, async () => {
    const event = { event_id: newEventId(), message: `key in ${place}` };
    const { query = "", ...rest } = request(project.key);
    const answer = await http(`${server.url}/api/${project.id}/store/${query}`, {
      method: "POST",
      body: JSON.stringify(event),
      ...rest,
    });
    assert.is(answer.status, 200, answer.text);
    await assertStored(event.event_id, event.message);
  });

test("the key in the DSN of the envelope header counts, as a tunnel sends it, whatever its host", async () => {
  const event = { event_id: newEventId(), message: "through the tunnel" };
  const header = { event_id: event.event_id, dsn: `https://${project.key}@elsewhere.example:8443/${project.id}` };
  const body = [header, { type: "event" }, event].map((line) => JSON.stringify(line)).join("\n");
  const answer = await http(`${server.url}/api/${project.id}/envelope/`, { method: "POST", body });
  assert.is(answer.status, 200, answer.text);
  await assertStored(event.event_id, event.message);
});

const encodings: [encoding: string, encode: (text: string) => Uint8Array | string][] = [
  ["gzip", gzipSync],
  ["GZIP", gzipSync],
  ["x-gzip", gzipSync],
  ["deflate", deflateSync],
  ["deflate", deflateRawSync],
  ["br", brotliCompressSync],
  ["zstd", zstdCompressSync],
  ["identity", String],
  ["", String],
  ["gzip", (text) => Buffer.concat([gzipSync(text.slice(0, 50)), gzipSync(text.slice(50))])],
];
for (const [index, [encoding, encode]] of encodings.entries())
  test(`Content-Encoding "${encoding}" is understood (${index})`, async () => {
    const event = { event_id: newEventId(), message: `encoded ${encoding}`, extra: { padding: "x".repeat(500) } };
    const body = envelope(event.event_id, [{ type: "event" }, event]);
    const answer = await post(server, project, "envelope", encode(body), { "Content-Encoding": encoding });
    assert.is(answer.status, 200, answer.text);
    await assertStored(event.event_id, event.message);
  });

const framings: [claim: string, text: (event: { event_id: string }) => string][] = [
  [
    "an unknown item with and without length is passed over",
    (event) =>
      [
        JSON.stringify({ event_id: event.event_id }),
        '{"type":"new_thing","length":4}',
        "a\nb\n",
        '{"type":"newer"}',
        "{}",
        '{"type":"event"}',
        JSON.stringify(event),
      ].join("\n"),
  ],
  ["a line feed ends the body", (event) => `${envelope(event.event_id, [{ type: "event" }, event])}\n`],
  [
    "lines may end with CR LF",
    (event) => envelope(event.event_id, [{ type: "event" }, event]).replaceAll("\n", "\r\n"),
  ],
  ["an item without a type is passed over", (event) => `{}\n{}\n{}\n{"type":"event"}\n${JSON.stringify(event)}`],
  [
    "an attachment that looks like items ends where its length says",
    (event) => {
      const attachment = 'x\n{"type":"event"}\n{"message":"not this"}';
      return `${envelope(event.event_id, [{ type: "event" }, event])}\n{"type":"attachment","length":${attachment.length}}\n${attachment}\n`;
    },
  ],
  [
    "a length counts bytes, not characters",
    (event) => {
      const text = JSON.stringify({ ...event, tags: { city: "Zürich 東京 🗼" } });
      return `{}\n{"type":"event","length":${Buffer.byteLength(text)}}\n${text}\n{"type":"session","length":2}\n{}`;
    },
  ],
];
for (const [claim, text] of framings)
  test(claim, async () => {
    const event = { event_id: newEventId(), message: "framed" };
    const answer = await post(server, project, "envelope", text(event));
    assert.is(answer.status, 200, answer.text);
    await assertStored(event.event_id, "framed");
  });

test("an envelope without an event is answered 200 with {}", async () => {
  for (const body of ["{}", "{}\n", '{}\n{"type":"session"}\n{}', '{}\n{"type":"client_report"}\n{}']) {
    const answer = await post(server, project, "envelope", body);
    assert.is(answer.status, 200, `${body}: ${answer.text}`);
    assert.equal(answer.json, {}, body);
  }
});

test("an event without an id gets one, which is returned and readable", async () => {
  for (const event of [{ message: "no id" }, { message: "no id", event_id: "not-a-uuid" }]) {
    const answer = await post(server, project, "store", JSON.stringify(event));
    const { id } = answer.json as { id: string };
    assert.match(id, /^[0-9a-f]{32}$/);
    await assertStored(id, "no id");
  }
});

test("an event of nothing is stored as unlabeled error", async () => {
  const answer = await post(server, project, "store", "{}");
  assert.is(answer.status, 200, answer.text);
  const { id: eventId } = answer.json as { id: string };
  const { event } = await client.errors.getEvent({ projectId: project.id, eventId }, client.auth);
  assert.is(event?.title, "<unlabeled event>");
  assert.is(event?.level, "error");
});

test.run();
