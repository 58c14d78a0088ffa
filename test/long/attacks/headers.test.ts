import { test } from "uvu";
import * as assert from "uvu/assert";
import { sessionCookie, signInByForm } from "../../support/console/console.ts";
import { sharedServer } from "../../support/service/flow.ts";
import { http, type HttpAnswer } from "../../support/http/http.ts";
import { createProject } from "../../support/core/project.ts";
import { rest } from "../../support/rest/rest.ts";
import { newEventId, sendStore } from "../../support/sentry/send.ts";
import { startServer } from "../../support/service/server.ts";

const { server, client } = await sharedServer();
const cookie = sessionCookie(await signInByForm(server));
const project = await createProject(server);
const event = { event_id: newEventId(), message: "shown" };
assert.is((await sendStore(server, project, event)).status, 200);
const { errors } = await client.errors.listErrors({ projectId: project.id }, client.auth);
const key = { case: "projectId", value: project.id } as const;
const home = `/${(await client.projects.getProject({ key }, client.auth)).project?.path}/-`;
const error = `${home}/error_tracking/${errors[0]?.errorId}`;

const page = (path: string) => http(server.url + path, { headers: { Cookie: cookie } });
const restList = () => rest(server, "GET /projects");

/** Pages that show what people or applications wrote, or ask for a secret. */
const pages = [
  "/-/projects",
  "/-/profile",
  "/-/profile/account",
  "/-/profile/account/sessions",
  "/-/profile/personal_access_tokens",
  "/-/invitations/fli_unknown",
  "/-/password_resets/flr_unknown",
  "/-/unsubscribe/1.1.unknown",
  "/-/confirm_email/1.1.unknown",
  "/admin/users",
  "/admin/audit",
  "/no/such/-/page",
  `${home}/error_tracking`,
  `${home}/error_tracking/releases`,
  `${home}/error_tracking/ingestion`,
  `${home}/error_tracking/get_started`,
  `${home}/project_members`,
  `${home}/settings/monitor`,
  `${error}/details`,
  `${error}/events`,
];

/** Answers that are no pages. */
const others: [name: string, ask: () => Promise<HttpAnswer>][] = [
  ["a redirect to the sign-in page", () => http(`${server.url}/-/projects`)],
  ["a redirect of a signed-in person", () => page("/")],
  ["the data of a page", () => page(`${home}/error_tracking/__data.json`)],
  ["a tRPC answer", () => page("/-/trpc/accounts.getCurrentUser?input=%7B%7D")],
  ["a tRPC refusal", () => http(`${server.url}/-/trpc/accounts.getCurrentUser?input=%7B%7D`)],
  ["a refused form", () => http(`${server.url}/-/sign_in`, { method: "POST" })],
  ["an event as it was sent", () => page(`${error}/events/${event.event_id}.json`)],
  ["a REST answer", restList],
  ["a REST refusal", () => rest(server, "GET /projects", { token: null })],
  ["an unknown address of the API", () => rest(server, "GET /nothing")],
  ["health", () => http(`${server.url}/-/health`)],
];

const directives = (answer: HttpAnswer) =>
  new Map(
    String(answer.headers["content-security-policy"])
      .split("; ")
      .map((one) => [one.split(" ", 1)[0], one.split(" ").slice(1)]),
  );

function assertClosed(answer: HttpAnswer): void {
  const { headers } = answer;
  assert.equal(directives(answer).get("frame-ancestors"), ["'none'"], "A69, in a header");
  assert.is(headers["x-frame-options"], "DENY");
  assert.is(headers["x-content-type-options"], "nosniff");
  assert.is(headers["referrer-policy"], "same-origin");
  assert.is(headers["cross-origin-opener-policy"], "same-origin");
  assert.is(headers["cross-origin-resource-policy"], "same-origin");
  assert.match(headers["permissions-policy"] as string, "camera=()");
  assert.is(headers["strict-transport-security"], undefined, "never by plain http");
  assert.is(headers["access-control-allow-origin"], undefined);
  assert.match(headers["cache-control"] as string, "no-store", "A76");
}

for (const path of pages) {
  test(`A69, A76, A82: ${path.replace(home, "<project>")} is neither framed, kept, sniffed nor read by others`, async () => {
    const answer = await page(path);
    assert.match(answer.headers["content-type"] as string, "text/html");
    assertClosed(answer);
    const policy = directives(answer);
    const scripts = policy.get("script-src") ?? [];
    assert.is(scripts.length, 2, String(scripts));
    assert.is(scripts[0], "'self'");
    assert.match(scripts[1] as string, /^'nonce-[A-Za-z0-9+/=]{20,}'$/);
    assert.equal(policy.get("style-src"), ["'self'"]);
    assert.equal(policy.get("img-src"), ["'self'"]);
    assert.equal(policy.get("object-src"), ["'none'"]);
    assert.equal(policy.get("base-uri"), ["'none'"]);
    assert.equal(policy.get("form-action"), ["'self'"]);
    assert.not.match(answer.headers["content-security-policy"] as string, "unsafe-inline");
  });
}

for (const [name, ask] of others) {
  test(`A69, A76, A82: ${name} is neither framed, kept, sniffed nor read by others, and nothing in it runs`, async () => {
    const answer = await ask();
    assertClosed(answer);
    assert.equal(directives(answer).get("default-src"), ["'none'"]);
  });
}

test("a nonce is never used twice", async () => {
  const nonces = await Promise.all(
    Array.from({ length: 20 }, async () => directives(await page("/-/projects")).get("script-src")?.[1]),
  );
  assert.is(new Set(nonces).size, 20);
});

test("A82: ingestion alone answers other origins, and nothing in its answer runs or is kept", async () => {
  const answer = await sendStore(server, project, { message: "from a page of another site" });
  const { headers } = answer;
  assert.equal(directives(answer).get("default-src"), ["'none'"]);
  assert.equal(directives(answer).get("frame-ancestors"), ["'none'"]);
  assert.is(headers["cache-control"], "no-store");
  assert.is(headers["cross-origin-resource-policy"], "cross-origin");
  assert.is(headers["access-control-allow-origin"], "*");
  assert.is(headers["x-content-type-options"], "nosniff");
});

test("browsers keep answers that hold no secret and never change", async () => {
  const { text } = await http(`${server.url}/-/sign_in`);
  const [, script = ""] = /"(\/_app\/immutable\/[^"]+\.js)"/.exec(text) ?? [];
  const { status, headers } = await http(server.url + script);
  assert.is(status, 200);
  assert.match(headers["cache-control"] as string, "immutable");
  assert.is(headers["cross-origin-resource-policy"], "same-origin");
});

test("behind TLS every answer asks browsers to use nothing else for a year", async () => {
  const secure = await startServer({ env: { FAULTLINE_BASE_URL: "https://errors.example.com" } });
  try {
    for (const path of ["/-/sign_in", "/", "/api/v4/projects", "/-/health", "/api/1/store/"]) {
      const { headers } = await http(secure.url + path);
      assert.is(headers["strict-transport-security"], "max-age=31536000", path);
    }
  } finally {
    await secure.stop();
  }
});

test.run();
