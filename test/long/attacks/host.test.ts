import { Role } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { postForm, sessionCookie, signInByForm } from "../../support/console/console.ts";
import { runningServer } from "../../support/service/flow.ts";
import { http } from "../../support/http/http.ts";
import { createProject } from "../../support/core/project.ts";
import { openSocket } from "../../support/http/raw-socket.ts";
import { newEventId, sendStore } from "../../support/sentry/send.ts";
import { rootToken, startServer } from "../../support/service/server.ts";

/** Requests that name another host: no answer leads there. */

const origin = "https://errors.example.com";
const { server, client } = await runningServer({ env: { FAULTLINE_BASE_URL: origin } });
const cookie = sessionCookie(await signInByForm(server, {}, { Origin: origin }));
const project = await createProject(server);
for (const message of ["first", "second"]) {
  assert.is((await sendStore(server, project, { event_id: newEventId(), message })).status, 200);
}
const path = (await client.projects.listProjects({}, client.auth)).projects[0]?.path;

const poison: Readonly<Record<string, string>> = {
  Host: "evil.example",
  "X-Forwarded-Host": "evil.example",
  "X-Forwarded-Server": "evil.example",
  "X-Forwarded-Proto": "http",
  "X-Forwarded-Port": "666",
  "X-Host": "evil.example",
  "X-Original-URL": "http://evil.example/",
  "X-Rewrite-URL": "http://evil.example/",
  "X-Faultline-Host": "evil.example",
  "X-Faultline-Protocol": "http",
  Forwarded: "host=evil.example;proto=http",
};
const whole = ({ status, headers, text }: Awaited<ReturnType<typeof http>>) =>
  `${status} ${JSON.stringify(headers)}\n${text}`;

const addresses = [
  "/",
  "/-/sign_in",
  "/-/sign_in/",
  "/-/projects",
  "/-/projects/",
  "/-/profile/personal_access_tokens",
  "/-/deprecations",
  "/admin",
  "/admin/health",
  `/${path}/-/error_tracking`,
  `/${path}/-/error_tracking/get_started`,
  `/${path}/-/settings/monitor`,
  `/${path}/-/settings/operations`,
  `/${path}/-/project_members`,
  "/no/such/page",
  `/api/v4/projects/${project.id}/error_tracking/errors?per_page=1`,
  `/api/v4/projects/${project.id}/error_tracking/client_keys`,
  "/api/v4/projects?per_page=1",
  "/api/v4/metadata",
  "/-/health",
];

for (const signedIn of [true, false]) {
  test(`A77: no answer to ${signedIn ? "a signed-in person" : "a stranger"} holds a host that the request brought`, async () => {
    const own = signedIn ? { Cookie: cookie, "PRIVATE-TOKEN": rootToken } : {};
    for (const address of addresses) {
      const answer = await http(server.url + address, { headers: { ...own, ...poison } });
      assert.ok(answer.status < 500, `${address}: ${answer.status}`);
      assert.not.match(whole(answer), "evil.example", address);
    }
  });
}

test("A77: links of pages, client keys and invitations are of the configured address", async () => {
  const headers = { ...poison, "PRIVATE-TOKEN": rootToken };
  const errors = `${server.url}/api/v4/projects/${project.id}/error_tracking/errors?per_page=1`;
  assert.match(String((await http(errors, { headers })).headers.link), `<${origin}/api/v4/`);
  const keys = `${server.url}/api/v4/projects/${project.id}/error_tracking/client_keys`;
  const made = (await http(keys, { method: "POST", headers })).json as { sentry_dsn: string };
  assert.is(new URL(made.sentry_dsn).host, "errors.example.com");
  const { url } = await client.members.createInvitation({ projectId: project.id, role: Role.DEVELOPER }, client.auth);
  assert.ok(url.startsWith(`${origin}/-/invitations/`), url);
});

test("A77: a form whose host and origin agree on another site is refused", async () => {
  const fields = { username: "root", password: "correct horse battery staple" };
  for (const scheme of ["http", "https"]) {
    const answer = await postForm(server, "/-/sign_in", fields, { ...poison, Origin: `${scheme}://evil.example` });
    assert.is(answer.status, 403);
    assert.match(answer.text, `Open the console at ${origin}`);
  }
});

test("A77: no host, several, or one of another form is answered, and no answer names it", async () => {
  const heads = [
    "GET /-/sign_in HTTP/1.0\r\n\r\n",
    "GET http://evil.example/-/sign_in HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n",
    "GET //evil.example/-/sign_in HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n",
    "GET @evil.example/ HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n",
    ...["a b", "evil.example:99999", "a@evil.example", "[evil.example", "evil.example/x?y#z", "\u0080evil.example"].map(
      (host) => `GET /-/projects HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
    ),
    "GET /-/projects HTTP/1.1\r\nHost: a.example\r\nHost: evil.example\r\nConnection: close\r\n\r\n",
  ];
  for (const head of heads) {
    const socket = await openSocket(server);
    socket.write(Buffer.from(head, "latin1"));
    const answer = await socket.answer();
    socket.destroy();
    assert.ok(answer, head);
    assert.ok(answer.status < 500, `${head}: ${answer.status}`);
    assert.not.match(answer.head, "evil.example");
  }
  assert.is((await http(`${server.url}/-/health`)).status, 200);
});

test("A77: without a configured address a DSN names the address that is listened on, whatever the request says", async () => {
  const plain = await startServer();
  try {
    const made = await createProject(plain);
    const keys = `${plain.url}/api/v4/projects/${made.id}/error_tracking/client_keys`;
    const answer = await http(keys, { method: "POST", headers: { ...poison, "PRIVATE-TOKEN": rootToken } });
    assert.is(answer.status, 201);
    assert.is(new URL((answer.json as { sentry_dsn: string }).sentry_dsn).host, new URL(plain.url).host);
    for (const host of ["a b", "<script>", "evil.example\\@x", "", "::"]) {
      const { status, text } = await http(`${plain.url}/-/sign_in`, { headers: { Host: host } });
      assert.ok(status < 500, `${JSON.stringify(host)}: ${status}`);
      assert.not.match(text, "<script>alert");
    }
  } finally {
    await plain.stop();
  }
});

test.run();
