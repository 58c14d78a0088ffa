import { test } from "uvu";
import * as assert from "uvu/assert";
import { routes } from "../../../plugins/sentry-api/src/routes.ts";
import { http } from "../../support/http/http.ts";
import { movableFaultline } from "../../support/service/movable-faultline.ts";
import { createProject } from "../../support/core/project.ts";
import { newEventId, sendEvent } from "../../support/sentry/send.ts";
import { rootToken } from "../../support/service/server.ts";
import { webApi } from "../../support/external/web-api.ts";

/** Whatever comes, the answer is one of the API, and never a failure of the service. */

const { client, faultline } = await movableFaultline();
const server = { url: faultline.httpUrl };
const project = await createProject(server);
await client.projects.updateProject({ projectId: project.id, path: "acme/web" }, client.auth);
const eventId = newEventId();
await sendEvent(server, project, { event_id: eventId, message: "stored" });

const strings = [
  "",
  "%00",
  "a%00b",
  "%",
  "%zz",
  "%C0%80",
  "%ED%A0%80",
  "%2e%2e%2f",
  "..%2f..%2fetc",
  "a%2Fb",
  "%5C",
  "__proto__",
  "constructor",
  "-1",
  "0",
  "1e9",
  "1.5",
  "9007199254740993",
  "99999999999999999999999999999999999999",
  "4294967297",
  "'%20or%201=1--",
  "%22%3E%3Cscript%3E",
  "%0d%0aSet-Cookie:%20a=b",
  "%E2%80%AE",
  "%F0%9F%92%A5",
  "is:",
  '"',
  "a".repeat(3000),
];
const detail = (json: unknown) => (json as { detail?: unknown } | undefined)?.detail;
const parts: Record<string, string> = { organization: "acme", project: "web", issue: "1", event: eventId };
const own = routes(() => 0)
  .filter(({ path }) => !/groups|organization\/issues\/:issue\/./.test(path)) // other names of the same
  .flatMap(({ path, methods }) => Object.keys(methods).map((method) => ({ path, method })));

for (const { path, method } of own) {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => name);
  for (const hostile of names) {
    test(`${method} ${path} with any :${hostile} answers that it does not exist`, async () => {
      for (const text of strings) {
        if (hostile === "issue" && text === "1") continue;
        const filled = path.replace(/:(\w+)/g, (_, name: string) => (name === hostile ? text : (parts[name] ?? "")));
        const body = method === "PUT" ? { status: "resolved" } : undefined;
        const suffix = method === "PUT" && path.endsWith("/issues") ? "/?id=1" : "/";
        const { status, json } = await webApi(server, `${method} ${filled.slice("/api/0".length)}${suffix}`, { body });
        assert.ok(status === 404 || status === 400 || (text === "" && status === 200), `${text}: ${status}`);
        if (status !== 200) assert.type(detail(json), "string", text);
      }
    });
  }
}

const readings = [
  "/projects/",
  "/projects/acme/web/issues/",
  "/organizations/acme/issues/",
  "/issues/1/stats/",
  "/issues/1/tags/",
  "/issues/1/tags/user/values/",
  "/issues/1/events/",
];
const values = [
  "",
  "%00",
  "%zz",
  "__proto__",
  "-1",
  "1e9",
  "99999999999999999999",
  "%22%3E%3Cscript%3E",
  "a".repeat(3000),
];
const parameters = [
  "query",
  "sort",
  "cursor",
  "limit",
  "per_page",
  "statsPeriod",
  "groupStatsPeriod",
  "project",
  "group",
  "environment",
  "start",
  "end",
  "since",
  "until",
  "resolution",
  "full",
  "id",
  "__proto__",
  "unknown",
];

for (const path of readings) {
  test(`GET ${path} with any parameter answers 200, 400 or 404, and its links stay short`, async () => {
    for (const name of parameters) {
      for (const text of values) {
        const { status, json, headers } = await webApi(server, `GET ${path}?${name}=${text}`);
        assert.ok([200, 400, 404].includes(status), `${name}=${text.slice(0, 50)}: ${status}`);
        if (status !== 200) assert.type(detail(json), "string");
        assert.ok(String(headers["link"] ?? "").length < 4000);
        assert.is(headers["set-cookie"], undefined);
      }
    }
  });
}

test("repeated parameters are taken once, and hundreds of them fail nothing", async () => {
  const once = await webApi(server, "GET /projects/acme/web/issues/?limit=1&limit=100000&sort=date&sort=x");
  assert.is(once.status, 200);
  const many = Array.from({ length: 500 }, (_, n) => `project=${n + 1}`).join("&");
  const limits = many.replaceAll("project=", "limit=");
  const { status, headers } = await webApi(server, `GET /projects/acme/web/issues/?${limits}`);
  assert.is(status, 200);
  assert.ok(String(headers["link"]).length < 4000);
  assert.is((await webApi(server, `GET /organizations/acme/issues/?${many}`)).status, 400);
});

test("a link never carries what could leave its header", async () => {
  const query = encodeURIComponent('"><script>, <x>; rel="next"\r\nX: y');
  const { status, headers } = await webApi(server, `GET /projects/acme/web/issues/?query=${query}`);
  assert.is(status, 200);
  assert.match(String(headers["link"]), /^<[^<>"\s]+>; rel="previous"; [^<>]+, <[^<>"\s]+>; rel="next"; [^<>]+$/);
  assert.is(headers["x"], undefined);
});

const rawPut = (body: string) =>
  http(`${server.url}/api/0/issues/1/`, {
    method: "PUT",
    headers: { Authorization: `Bearer ${rootToken}`, "Content-Length": String(Buffer.byteLength(body)) },
    body,
  });

test("bodies that are no JSON object, or too large, are refused in the form of the API", async () => {
  const bodies = [
    "{",
    "[]",
    "null",
    "1",
    '"resolved"',
    '{"status":"resolved"',
    "\0",
    '{"__proto__":{"status":"resolved"}}',
    '{"status":{"toString":"resolved"}}',
    `{"status":"${"x".repeat(70_000)}"}`,
    "[".repeat(60_000),
  ];
  for (const body of bodies) {
    const { status, json } = await rawPut(body);
    assert.is(status, 400, body.slice(0, 40));
    assert.type(detail(json), "string");
  }
  assert.is((await rawPut('{"status":"resolved"}')).status, 200);
});

test("unknown addresses and methods below /api/0 are not found, with and without a token", async () => {
  for (const [call, token] of [
    ["GET /nothing/", rootToken],
    ["GET /users/me/", null],
    ["DELETE /issues/1/", rootToken],
    ["POST /projects/", rootToken],
    ["DELETE /projects/acme/web/issues/", rootToken],
    ["PATCH /issues/1/", null],
    ["OPTIONS /projects/", null],
  ] as const) {
    const { status, json } = await webApi(server, call, { token });
    assert.equal([call, status, json], [call, 404, { detail: "The requested resource does not exist" }]);
  }
});

test("a token in the query is refused, and two that differ are nobody's", async () => {
  assert.is((await webApi(server, `GET /projects/?token=${rootToken}&auth=${rootToken}`, { token: null })).status, 400);
  const headers = { Authorization: `Bearer ${rootToken}`, "PRIVATE-TOKEN": "flp_other" };
  assert.is((await http(`${server.url}/api/0/projects/`, { headers })).status, 401);
});

test("HEAD answers as GET does, without the body", async () => {
  const { status, text, headers } = await webApi(server, "HEAD /projects/");
  assert.equal([status, text], [200, ""]);
  assert.type(headers["link"], "string");
});

test.run();
