// limit: 240 s
import { test } from "uvu";
import * as assert from "uvu/assert";
import { restEntrances } from "../../permissions/operations.ts";
import { sessionCookie, signInByForm } from "../../support/console/console.ts";
import { runningServer } from "../../support/service/flow.ts";
import { http } from "../../support/http/http.ts";
import { createProject } from "../../support/core/project.ts";
import { openSocket } from "../../support/http/raw-socket.ts";
import { rest } from "../../support/rest/rest.ts";
import { rootToken } from "../../support/service/server.ts";
import { newEventId, sendEvent } from "../../support/sentry/send.ts";

/** Ids and paths in forms that another reader might take for the plain one. */

const { server, client } = await runningServer();
const project = await createProject(server);
await sendEvent(server, project, { event_id: newEventId(), message: "boom" });
const { project: row } = await client.projects.getProject(
  { key: { case: "projectId", value: project.id } },
  client.auth,
);
const projectPath = row?.path ?? "";
const cookie = sessionCookie(await signInByForm(server));

/** Other spellings of the number 1 in an address. */
const oddNumbers = [
  "1e0",
  "1e1",
  "01",
  "+1",
  "%2B1",
  "%201",
  "1%20",
  "1%0a",
  "1%00",
  "0x1",
  "0b1",
  "0o1",
  "1.0",
  "1,0",
  "1_0",
  "1n",
  "-1",
  "0",
  "1;",
  "1;drop",
  "1'",
  "1%2f",
  "1..1",
  "%EF%BC%91", // a full-width 1
  "%D9%A1", // an Arabic-Indic 1
  "%C2%B9", // a superscript 1
  "%E2%91%A0", // a circled 1
  "9223372036854775807",
  "9223372036854775808",
  "18446744073709551617",
  "4294967297",
  "9007199254740993",
  "9".repeat(400),
  "NaN",
  "Infinity",
  "null",
  "true",
  "[1]",
  "[object%20Object]",
  "__proto__",
  "constructor",
];

for (const { verb, path, params } of restEntrances.filter(({ path: pattern }) => pattern.includes(":"))) {
  test(`A92: REST ${verb} ${path} finds nothing under other ways to write a number`, async () => {
    const names = [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => name);
    for (const name of names.filter((one) => one !== "version")) {
      for (const odd of oddNumbers) {
        const filled = path
          .replace("/api/v4", "")
          .replace(`:${name}`, odd)
          .replace(":project", String(project.id))
          .replaceAll(/:\w+/g, "1");
        const issue = { subscription: "muted", tracker_id: 1, url: "https://issues.example.com/1" };
        const changed = {
          status: "resolved",
          access_level: 10,
          name: "changed",
          text: "changed",
          version: 1,
          ...issue,
        };
        const known = Object.entries(changed).filter(([field]) => Object.hasOwn(params, field));
        const { status, text } = await rest(server, `${verb} ${filled}`, {
          body: verb === "GET" ? undefined : Object.fromEntries(known),
        });
        assert.is(status, 404, `${verb} ${filled}: ${status} ${text}`);
      }
    }
  });
}

test("A92: pages find nothing under other ways to write the number of an error", async () => {
  const ask = async (id: string) =>
    (await http(`${server.url}/${projectPath}/-/error_tracking/${id}/details`, { headers: { Cookie: cookie } })).status;
  assert.is(await ask("1"), 200);
  for (const odd of oddNumbers) assert.is(await ask(odd), odd === "1%00" ? 400 : 404, odd); // NUL is in no text at all
});

test("A92: ingestion takes the number of a project in its plain form alone", async () => {
  const ask = async (id: string) =>
    (
      await http(`${server.url}/api/${id}/store/`, {
        method: "POST",
        headers: { "X-Sentry-Auth": `Sentry sentry_key=${project.key}` },
        body: `{"event_id":"${newEventId()}","message":"odd"}`,
      })
    ).status;
  assert.is(await ask(String(project.id)), 200);
  for (const odd of oddNumbers) assert.ok([400, 403, 404].includes(await ask(odd)), odd);
});

/** Paths that lead out of a folder, or to the project's, where a path is taken for more than a text. */
const oddPaths = (path: string) => [
  `..%2f${path}`,
  `x/..%2f${path}`,
  `%2e%2e/${path}`,
  `%252e%252e/${path}`,
  `${path.replace("project", "%2570roject")}`,
  `.//${path}`,
  `${path}/.`,
  `${path}/..`,
  `/${path}`,
  `//${path}`,
  `${path}//`,
  `${path}.json`,
  `${path}%00`,
  `${path}%00.json`,
  `${path};a=b`,
  `${path}%20`,
  `%20${path}`,
  `${path}%0d%0aSet-Cookie:%20x=y`,
  `..\\${path}`,
  `..%5c${path}`,
  `%c0%ae%c0%ae/${path}`, // dots in an encoding that is longer than it may be
  "..%2f..%2f..%2fetc%2fpasswd",
  "%2fetc%2fpasswd",
  `${"a/".repeat(200)}${path}`,
  "a".repeat(10_000),
  "%",
  "%zz",
  "%ff",
];

/** Sends a target as it is, since URL parsers would tidy it. */
async function get(target: string, headers: string): Promise<{ status: number; head: string; text: string }> {
  const socket = await openSocket(server);
  socket.write(`GET ${target} HTTP/1.1\r\nHost: ${new URL(server.url).host}\r\n${headers}\r\n\r\n`);
  const answer = await socket.answer();
  socket.destroy();
  if (!answer) throw new Error(`no answer to ${target}`);
  return answer;
}

test("A112: a path in a page's address is a text to look up, and leads nowhere else", async () => {
  const ask = (path: string, page: string) => get(`/${path}/-/${page}`, `Cookie: ${cookie}`);
  assert.is((await ask(projectPath, "error_tracking")).status, 200);
  for (const path of oddPaths(projectPath)) {
    for (const page of ["error_tracking", "error_tracking/1/details", "settings/monitor"]) {
      const { status, head, text } = await ask(path, page);
      const isOurs = pathname(`/${path}/-/${page}`) === pathname(`/${projectPath}/-/${page}`); // as browsers read it
      const expected = isOurs ? [200] : [308, 400, 404, 414, 431];
      assert.ok(expected.includes(status), `${path}: ${status}`);
      if (status === 308) assert.match(head, /^location: *\/(?![/\\])/im); // tidied, and on this site
      assert.not.match(text, "root:x:");
      assert.not.match(head, /^set-cookie: x=y/im);
    }
  }
});

const pathname = (target: string) => URL.parse(target, server.url)?.pathname;

test("A112: a path in the REST API is a text to look up, and leads nowhere else", async () => {
  const token = `PRIVATE-TOKEN: ${rootToken}`;
  assert.is((await get(`/api/v4/projects/${encodeURIComponent(projectPath)}`, token)).status, 200);
  for (const path of oddPaths(projectPath)) {
    for (const target of [path, path.replaceAll("/", "%2F")]) {
      const { status } = await get(`/api/v4/projects/${target}`, token);
      assert.ok([400, 404, 414, 431].includes(status), `${target}: ${status}`);
    }
  }
});

test("A112: files of the machine are not served, from whatever address", async () => {
  const files = ["/../../../../etc/passwd", "/_app/../../../../etc/passwd", "/_app/..%2f..%2f..%2f..%2fetc%2fpasswd"];
  const more = [
    "/_app/%2e%2e/%2e%2e/package.json",
    "/_app/immutable/..%5c..%5cpackage.json",
    "//etc/passwd",
    "/faultline.db",
  ];
  for (const target of [
    ...files,
    ...more,
    `/${server.dataDir}/secrets.json`,
    "/secrets.json",
    "/.env",
    "/.git/config",
  ]) {
    const { status, text } = await get(target, `Cookie: ${cookie}`);
    assert.ok([400, 403, 404].includes(status), `${target}: ${status}`);
    assert.not.match(text, /root:x:|"pepper"|SQLite format 3|"workspaces"/);
  }
});

test("A112: a project may not take the address of something else", async () => {
  for (const path of [
    "api",
    "API/v4",
    "admin",
    "_app",
    "-",
    "x/-/y",
    "..",
    "../x",
    "x/../y",
    ".",
    "x//y",
    "favicon.ico",
  ]) {
    assert.is((await rest(server, "POST /projects", { body: { name: "x", path } })).status, 400, path);
  }
});

test.run();
