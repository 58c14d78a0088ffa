import { deflateSync } from "node:zlib";
import { OutcomeKind, type Event } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { sharedServer } from "../support/service/flow.ts";
import { http, type HttpAnswer } from "../support/http/http.ts";
import { createProject, type Project } from "../support/core/project.ts";
import { onlyEvent, storedEvents } from "../support/sentry/robustness.ts";
import { newEventId, sentryAuth } from "../support/sentry/send.ts";

const { server, client } = await sharedServer();
let project: Project;

test.before.each(async () => {
  project = await createProject(server);
});

// The pixel: GET .../store/

const gif = /^GIF89a/;

function getPixel(data: string | undefined, key = project.key): Promise<HttpAnswer> {
  const query = new URLSearchParams({ sentry_version: "4", sentry_client: "raven-js/1.0", sentry_key: key });
  if (data !== undefined) query.set("sentry_data", data);
  return http(`${server.url}/api/${project.id}/store/?${query}`);
}

const json = '{"message":"from a pixel: naïve 漢字"}';
const forms: [form: string, data: string][] = [
  ["JSON", json],
  ["base64", Buffer.from(json).toString("base64")],
  ["base64 of zlib", deflateSync(json).toString("base64")],
];
for (const [form, data] of forms) {
  test(`GET store takes an event as ${form} in the query and answers with a pixel`, async () => {
    const answer = await getPixel(data);
    assert.is(answer.status, 200);
    assert.is(answer.headers["content-type"], "image/gif");
    assert.match(answer.text, gif);
    assert.is((await onlyEvent(client, project)).message, "from a pixel: naïve 漢字");
  });
}

const badPixels: [claim: string, get: () => Promise<HttpAnswer>, status: number][] = [
  ["without a key", () => getPixel(json, ""), 401],
  ["with an unknown key", () => getPixel(json, "f".repeat(32)), 403],
  ["of no JSON", () => getPixel("{"), 400],
];
for (const [claim, get, status] of badPixels) {
  test(`a pixel ${claim} is refused with ${status}, and the answer is a pixel`, async () => {
    const answer = await get();
    assert.is(answer.status, status);
    assert.match(answer.text, gif);
    assert.equal(await storedEvents(client, project), []);
  });
}

test("GET store without an event is the wrong method", async () => {
  const answer = await getPixel(undefined);
  assert.is(answer.status, 405);
  assert.is(answer.headers.allow, "POST, OPTIONS");
});

// The oldest address: the project is the key's own.

test("/api/store/ takes events for the project of the key", async () => {
  for (const path of ["/api/store/", "/api/store"]) {
    const own = await createProject(server);
    const answer = await http(server.url + path, {
      method: "POST",
      headers: { "X-Sentry-Auth": sentryAuth(own.key) },
      body: '{"message":"old"}',
    });
    assert.is(answer.status, 200, answer.text);
    assert.is((await onlyEvent(client, own)).message, "old");
  }
});

test("/api/store/ refuses unknown keys", async () => {
  const headers = { "X-Sentry-Auth": sentryAuth("f".repeat(32)) };
  assert.is((await http(`${server.url}/api/store/`, { method: "POST", headers, body: "{}" })).status, 403);
});

// Security reports

const cspReport = {
  "csp-report": {
    "document-uri": "https://shop.example/cart?token=1",
    "violated-directive": "script-src 'self'",
    "blocked-uri": "https://evil.example/a.js",
    "original-policy": "default-src 'none'",
  },
};
const reportingApi = [
  {
    type: "csp-violation",
    age: 10,
    url: "https://shop.example/cart",
    body: {
      documentURL: "https://shop.example/cart",
      effectiveDirective: "script-src",
      blockedURL: "https://evil.example/b.js",
      disposition: "enforce",
    },
  },
  { type: "deprecation", body: { id: "x" } },
];

function sendReport(body: unknown, { door = "security", query = "" } = {}): Promise<HttpAnswer> {
  return http(`${server.url}/api/${project.id}/${door}/?sentry_key=${project.key}${query}`, {
    method: "POST",
    headers: { "Content-Type": "application/csp-report", "User-Agent": "Firefox" },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
}

const reportForms: [form: string, body: unknown][] = [
  ["a CSP report", cspReport],
  ["a list of the Reporting API", reportingApi],
];
for (const [form, body] of reportForms)
  for (const door of ["security", "csp-report"])
    test(`${form} at ${door} becomes an event that says what was blocked`, async () => {
      const answer = await sendReport(body, { door, query: "&sentry_release=shop%401&sentry_environment=prod" });
      assert.equal([answer.status, answer.text], [200, ""]);
      const event: Event = await onlyEvent(client, project);
      assert.is(event.title, "CSP: Blocked script-src from https://evil.example");
      assert.is(event.culprit, "script-src");
      assert.equal([event.release, event.environment], ["shop@1", "prod"]);
      assert.match(event.request?.url ?? "", /^https:\/\/shop\.example\/cart/);
      assert.is(event.request?.headers["User-Agent"], "Firefox");
    });

test("reports of one directive and origin are one error, whatever page and path they name", async () => {
  for (const name of ["a", "b", "c"]) {
    const report = { ...cspReport["csp-report"], "blocked-uri": `https://evil.example/${name}.js` };
    assert.is((await sendReport({ "csp-report": report })).status, 200);
  }
  const { errors } = await client.errors.listErrors({ projectId: project.id }, client.auth);
  assert.equal(
    errors.map(({ eventCount }) => eventCount),
    [3],
  );
});

test("a source without an address is named by its scheme, and not by the page that made it", async () => {
  for (const blocked of ["blob:https://shop.example/6f0c", "data:text/plain,x", "filesystem:https://shop.example/x"]) {
    const report = { ...cspReport["csp-report"], "blocked-uri": blocked };
    assert.is((await sendReport({ "csp-report": report })).status, 200);
  }
  const { errors } = await client.errors.listErrors({ projectId: project.id }, client.auth);
  const named = (scheme: string) => `CSP: Blocked script-src from ${scheme}`;
  assert.equal(errors.map(({ title }) => title).toSorted(), [named("blob"), named("data"), named("filesystem")]);
});

test("all reports of one request are stored when it is answered, the first 100", async () => {
  const reports = Array.from({ length: 130 }, () => reportingApi[0]);
  const requests = await Promise.all([sendReport(reports), sendReport(reports), sendReport(reports.slice(0, 45))]);
  assert.equal(
    requests.map(({ status }) => status),
    [200, 200, 200],
  );
  const { errors } = await client.errors.listErrors({ projectId: project.id }, client.auth);
  assert.equal(
    errors.map(({ eventCount }) => eventCount),
    [245],
  );
});

const oddReports: [claim: string, body: unknown, status: number, events: number][] = [
  ["an empty report", { "csp-report": {} }, 200, 1],
  ["a report of nothing known", { "expect-ct-report": {} }, 200, 0],
  ["a list of nothing", [], 200, 0],
  ["fields of wrong types", { "csp-report": { "blocked-uri": 5, "violated-directive": [] } }, 200, 1],
  ["inline script", { "csp-report": { "blocked-uri": "inline", "effective-directive": "script-src-elem" } }, 200, 1],
  ["a data URL", { "csp-report": { "blocked-uri": "data:text/plain,x", "effective-directive": "img-src" } }, 200, 1],
  ["no JSON", "{", 400, 0],
  ["text", '"x"', 400, 0],
  ["a million brackets", "[".repeat(1_000_000), 400, 0],
  ["more than a mebibyte", `{"a":"${"x".repeat(1024 * 1024)}"}`, 413, 0],
];
for (const [claim, body, status, events] of oddReports) {
  test(`a security report of ${claim} is answered ${status} and leaves ${events} events`, async () => {
    assert.is((await sendReport(body)).status, status);
    assert.is((await storedEvents(client, project)).length, events);
  });
}

test("a refused security report is counted as such", async () => {
  await sendReport("{");
  const { outcomes } = await client.outcomes.listOutcomes({ projectId: project.id }, client.auth);
  assert.equal(
    outcomes.map(({ kind, category, reason }) => [kind, category, reason]),
    [[OutcomeKind.REFUSED, "security", "malformed"]],
  );
});

test("browsers may call any endpoint from any origin", async () => {
  for (const path of [`/api/${project.id}/security/`, `/api/${project.id}/store/`, "/api/store/"]) {
    const answer = await http(server.url + path, { method: "OPTIONS", headers: { Origin: "https://shop.example" } });
    assert.is(answer.status, 204);
    assert.is(answer.headers["access-control-allow-origin"], "*");
    assert.match(String(answer.headers["access-control-allow-methods"]), "POST");
  }
});

test("addresses that do not exist are not found, in JSON", async () => {
  for (const door of ["unknown", "minidump/x", "cron", `events/${newEventId()}`]) {
    const answer = await http(`${server.url}/api/${project.id}/${door}/?sentry_key=${project.key}`, { method: "POST" });
    assert.is(answer.status, 404, door);
    assert.ok(answer.json);
  }
});

test.run();
