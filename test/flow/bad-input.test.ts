import { gzipSync } from "node:zlib";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { sharedServer } from "../support/service/flow.ts";
import { http, type HttpAnswer } from "../support/http/http.ts";
import { createKey, createProject } from "../support/core/project.ts";
import { rest } from "../support/rest/rest.ts";
import { envelope, newEventId, post, sendEvent, sentryAuth } from "../support/sentry/send.ts";
import { storedErrors } from "../support/database/stored.ts";
import { promised } from "../support/run/deadlines.ts";
import { until } from "../support/run/until.ts";

const { server, client } = await sharedServer();
const project = await createProject(server);

const event = () => ({ event_id: newEventId(), message: "must not be stored" });
const good = () => {
  const made = event();
  return envelope(made.event_id, [{ type: "event" }, made]);
};
const deep = (depth: number) => `{"message":"deep","extra":${"[".repeat(depth)}${"]".repeat(depth)}}`;
const gzip = { "Content-Encoding": "gzip" };

const malformed: [
  claim: string,
  door: "store" | "envelope",
  body: () => string | Uint8Array,
  headers?: Record<string, string>,
][] = [
  ["an empty body", "envelope", () => ""],
  ["an empty store body", "store", () => ""],
  ["an envelope header that is not JSON", "envelope", () => `nonsense\n{"type":"event"}\n{}`],
  ["an envelope header that is an array", "envelope", () => `[]\n{"type":"event"}\n{}`],
  ["an item header that is not JSON, after a good item", "envelope", () => `${good()}\n{"type":"eve`],
  ["an item that is shorter than its length", "envelope", () => `{}\n{"type":"event","length":900}\n{"message":"x"}`],
  ["an item that is longer than its length", "envelope", () => `{}\n{"type":"event","length":3}\n{"message":"x"}`],
  ["a negative length", "envelope", () => `{}\n{"type":"event","length":-1}\n{"message":"x"}`],
  ["a broken length", "envelope", () => `{}\n{"type":"event","length":1.5}\n{"message":"x"}`],
  ["an event that is not JSON", "envelope", () => `{}\n{"type":"event"}\n{"message":`],
  ["a store body that is not JSON", "store", () => `{"message":`],
  ["a store body that is an array", "store", () => "[]"],
  ["a store body that is null", "store", () => "null"],
  ["a store body that is a number", "store", () => "42"],
  ["JSON deeper than 64 levels", "store", () => deep(70)],
  ["JSON deeper than any stack", "store", () => deep(100_000)],
  ["plain text announced as gzip", "envelope", good, gzip],
  ["a gzip body cut short", "envelope", () => gzipSync(good()).subarray(0, -12), gzip],
  ["a gzip body with a flipped bit in its checksum", "envelope", () => flipped(gzipSync(good()), -8), gzip],
  [
    "a DSN of another project in the envelope header",
    "envelope",
    () => `{"dsn":"http://${project.key}@host/99999"}\n{"type":"event"}\n{}`,
  ],
];

for (const [claim, door, body, headers] of malformed)
  test(`${claim} is answered 400 and stores nothing`, async () => {
    const answer = await post(server, project, door, body(), headers);
    assertRefusal(answer, 400);
    assert.ok(String(answer.headers["x-sentry-error"]).startsWith(detailOf(answer)));
  });

test("a request without a key is answered 401", async () => {
  const answer = await http(`${server.url}/api/${project.id}/store/`, {
    method: "POST",
    body: JSON.stringify(event()),
  });
  assertRefusal(answer, 401);
});

test("two different keys in one request are answered 401", async () => {
  const answer = await http(`${server.url}/api/${project.id}/store/?sentry_key=${"0".repeat(32)}`, {
    method: "POST",
    headers: { "X-Sentry-Auth": sentryAuth(project.key) },
    body: JSON.stringify(event()),
  });
  assertRefusal(answer, 401);
});

test("unknown, malformed and foreign keys and unknown projects get the same answer, whether a project is on or off", async () => {
  const other = await createProject(server);
  const off = await createProject(server);
  const settings = await rest(server, `PATCH /projects/${off.id}/error_tracking/settings`, { body: { active: false } });
  assert.is(settings.status, 200, settings.text);
  const targets = {
    "unknown key": { id: project.id, key: `flck_${"0".repeat(32)}` },
    "unknown key without a prefix": { id: project.id, key: "0".repeat(32) },
    "malformed key": { id: project.id, key: "no-key" },
    "key of another project": { id: other.id, key: project.key },
    "unknown project": { id: 4_000_000, key: project.key },
    "unknown key of a project that is off": { id: off.id, key: `flck_${"0".repeat(32)}` },
    "key of another project at one that is off": { id: off.id, key: project.key },
    "key of a project that is off at another": { id: project.id, key: off.key },
  };
  const bodies = new Set<string>();
  for (const [name, target] of Object.entries(targets)) {
    const answer = await until(`403 for the ${name}`, async () => {
      const got = await sendEvent(server, target, event());
      return got.status === 403 && got;
    });
    assertRefusal(answer, 403);
    bodies.add(answer.text);
  }
  assert.is(bodies.size, 1, [...bodies].join("\n"));
});

test("a deleted key is refused within a second", async () => {
  const { key, keyId } = await createKey(server, project.id);
  const target = { id: project.id, key };
  const session = `{}\n{"type":"session"}\n{}`;
  assert.is((await post(server, target, "envelope", session)).status, 200);
  const deletion = await rest(server, `DELETE /projects/${project.id}/error_tracking/client_keys/${keyId}`);
  assert.is(deletion.status, 200, deletion.text);
  const refusal = await until(
    "the refusal",
    async () => {
      const answer = await post(server, target, "envelope", session);
      return answer.status === 403 && answer;
    },
    { deadlineMs: promised(1_000) },
  );
  assertRefusal(refusal, 403);
});

for (const id of ["abc", "0", "-1", "99999999999999999999", "%00"])
  test(`project id ${id} is refused, not failed on`, async () => {
    const answer = await http(`${server.url}/api/${id}/store/?sentry_key=${project.key}`, {
      method: "POST",
      body: "{}",
    });
    assert.ok([400, 403, 404].includes(answer.status), `${answer.status}`);
  });

for (const door of ["store", "envelope"])
  for (const method of ["GET", "PUT", "DELETE"])
    test(`${method} of ${door} is answered 405 with the methods that are allowed`, async () => {
      const answer = await http(`${server.url}/api/${project.id}/${door}/?sentry_key=${project.key}`, { method });
      assertRefusal(answer, 405);
      assert.match(answer.headers.allow ?? "", /\bPOST\b/);
      assert.match(answer.headers.allow ?? "", /\bOPTIONS\b/);
    });

test("a preflight needs no key and allows what browsers send", async () => {
  const answer = await http(`${server.url}/api/${project.id}/envelope/`, {
    method: "OPTIONS",
    headers: {
      Origin: "https://shop.example",
      "Access-Control-Request-Method": "POST",
      "Access-Control-Request-Headers": "content-type,x-sentry-auth",
    },
  });
  assert.ok(answer.status === 200 || answer.status === 204, `${answer.status}`);
  assertCors(answer);
  assert.match(String(answer.headers["access-control-allow-methods"]), /\bPOST\b/);
  assert.match(
    String(answer.headers["access-control-allow-headers"]).toLowerCase(),
    /content-type.*x-sentry-auth|x-sentry-auth.*content-type/,
  );
});

test("an accepted event carries the headers that let browsers read the answer", async () => {
  const answer = await post(server, project, "envelope", `{}\n{"type":"session"}\n{}`);
  assert.is(answer.status, 200);
  assertCors(answer);
});

test("an event above 1 MiB is answered 413", async () => {
  const body = JSON.stringify({ ...event(), extra: { note: "x".repeat(1_100_000) } });
  assertRefusal(await post(server, project, "store", gzipSync(body), gzip), 413);
});

test("a small body that decompresses to 200 MB is answered 413", async () => {
  const bomb = gzipSync(Buffer.alloc(200_000_000), { level: 9 });
  assertRefusal(await post(server, project, "envelope", bomb, gzip), 413);
});

for (const encoding of ["foo", "gzip, gzip", "compress"])
  test(`Content-Encoding ${encoding} is answered 415`, async () => {
    assertRefusal(await post(server, project, "envelope", good(), { "Content-Encoding": encoding }), 415);
  });

test("an unknown path is answered 404", async () => {
  const answer = await http(`${server.url}/api/${project.id}/unknown/?sentry_key=${project.key}`, { method: "POST" });
  assert.is(answer.status, 404);
});

test("a refused request does not spoil the next one, and none of these requests was stored", async () => {
  const sound = { event_id: newEventId(), message: "sound" };
  assert.is((await sendEvent(server, project, sound)).status, 200);
  const titles = (await storedErrors(client, project.id)).map(({ title }) => title);
  assert.equal(titles, ["sound"]);
});

function assertRefusal(answer: HttpAnswer, status: number): void {
  assert.is(answer.status, status, answer.text);
  assert.ok(detailOf(answer).length > 0);
  assertCors(answer);
}

function assertCors({ headers }: HttpAnswer): void {
  assert.is(headers["access-control-allow-origin"], "*");
  const exposed = String(headers["access-control-expose-headers"]).toLowerCase();
  for (const name of ["x-sentry-error", "x-sentry-rate-limits", "retry-after"])
    if (headers["access-control-allow-methods"] === undefined) assert.ok(exposed.includes(name), `${name}: ${exposed}`);
}

function detailOf(answer: HttpAnswer): string {
  const detail = (answer.json as { detail?: unknown } | undefined)?.detail;
  assert.type(detail, "string", answer.text);
  return String(detail);
}

function flipped(bytes: Buffer, at: number): Buffer {
  const index = (bytes.length + at) % bytes.length;
  bytes[index] = (bytes[index] ?? 0) ^ 1;
  return bytes;
}

test.run();
