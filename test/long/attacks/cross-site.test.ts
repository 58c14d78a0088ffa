import { Role } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { callTrpc, cookiesSet, postForm, sessionCookie, signInByForm } from "../../support/console/console.ts";
import { runningServer } from "../../support/service/flow.ts";
import { http } from "../../support/http/http.ts";
import { newMember, personPassword } from "../../support/core/person.ts";
import { createProject } from "../../support/core/project.ts";

/** Requests that other sites make a signed-in browser send, or that a stranger sends to the console's procedures. */

const origin = "https://errors.example.com";
const { server, client } = await runningServer({ env: { FAULTLINE_BASE_URL: origin } });
const cookie = sessionCookie(await signInByForm(server, {}, { Origin: origin }));
const asOwnPage = { Cookie: cookie, Origin: origin, "Sec-Fetch-Site": "same-origin" };

const myName = async () => (await client.accounts.getCurrentUser({}, client.auth)).user?.name;
const rename = (headers: Readonly<Record<string, string>>, body = '{"name":"taken"}') =>
  http(`${server.url}/-/trpc/accounts.updateProfile`, { method: "POST", headers, body });

test.before.each(async () => {
  const { status, text } = await callTrpc(server, "accounts.updateProfile", { name: "untouched" }, asOwnPage);
  assert.is(status, 200, text); // and what our own page sends works
});

const assertUntouched = async () => assert.is(await myName(), "untouched");

const otherOrigins: [name: string, headers: Readonly<Record<string, string>>][] = [
  ["no origin", {}],
  ["an empty origin", { Origin: "" }],
  ["the origin null", { Origin: "null" }],
  ["another site", { Origin: "https://evil.example" }],
  ["a sub-domain", { Origin: "https://evil.errors.example.com" }],
  ["the domain above", { Origin: "https://example.com" }],
  ["a name that begins like ours", { Origin: "https://errors.example.com.evil.example" }],
  ["a trailing dot", { Origin: `${origin}.` }],
  ["a trailing slash", { Origin: `${origin}/` }],
  ["plain http", { Origin: "http://errors.example.com" }],
  ["another port", { Origin: `${origin}:8443` }],
  ["two origins", { Origin: `${origin}, https://evil.example` }],
  ["only a referrer of ours", { Referer: `${origin}/-/profile` }],
  ["Sec-Fetch-Site: cross-site", { Origin: origin, "Sec-Fetch-Site": "cross-site" }],
  ["Sec-Fetch-Site: same-site", { Origin: origin, "Sec-Fetch-Site": "same-site" }],
  ["Sec-Fetch-Site: none", { Origin: origin, "Sec-Fetch-Site": "none" }],
];

const contentTypes = [
  "application/json",
  "text/plain",
  "text/plain;charset=UTF-8", // what sendBeacon sends
  "TEXT/PLAIN",
  "application/x-www-form-urlencoded",
  "multipart/form-data; boundary=x",
];

for (const [name, headers] of otherOrigins) {
  test(`A66: a procedure refuses ${name}, whatever the content type`, async () => {
    for (const type of contentTypes) {
      assert.is((await rename({ Cookie: cookie, "Content-Type": type, ...headers })).status, 403, type);
    }
    assert.is((await rename({ Cookie: cookie, ...headers })).status, 403, "no content type");
    await assertUntouched();
  });

  test(`A66: the forms of the console refuse ${name}`, async () => {
    const post = (path: string, fields: Readonly<Record<string, string>>) =>
      postForm(server, path, fields, { Cookie: cookie, Origin: "", "Sec-Fetch-Site": "", ...headers });
    assert.is((await post("/-/profile/account?/profile", { name: "taken", email: "" })).status, 403);
    const signedIn = await post("/-/sign_in", { username: "root", password: "guess" });
    assert.equal([signedIn.status, cookiesSet(signedIn)], [403, []], "and nobody is signed in as somebody else");
    assert.is((await post("/-/sign_out", {})).status, 403);
    await assertUntouched();
  });
}

test("A66: other methods are refused to other sites too", async () => {
  for (const method of ["PUT", "PATCH", "DELETE", "TRACE", "PROPFIND"]) {
    const headers = { Cookie: cookie, Origin: "https://evil.example" };
    const { status } = await http(`${server.url}/-/profile/account?/profile`, { method, headers });
    assert.ok([400, 403, 405].includes(status), `${method}: ${status}`);
  }
});

const notJson = [
  ...contentTypes.slice(1),
  "application/octet-stream",
  "application/json, text/plain",
  "text/plain; application/json",
  "application/jsonp",
  "text/json",
];
for (const type of notJson) {
  test(`A66, A78: a procedure takes no ${type}, from our own pages neither`, async () => {
    const multipart = '--x\r\nContent-Disposition: form-data; name="__proto__.isAdmin"\r\n\r\ntrue\r\n--x--\r\n';
    for (const body of ['{"name":"taken"}', multipart, ""]) {
      assert.is((await rename({ ...asOwnPage, "Content-Type": type }, body)).status, 415);
    }
    await assertUntouched();
  });
}

test("A66: a procedure takes JSON in whatever letters, with a character set", async () => {
  for (const type of ["application/json", "Application/JSON", "application/json; charset=utf-8"]) {
    assert.is((await rename({ ...asOwnPage, "Content-Type": type }, '{"name":"untouched"}')).status, 200, type);
  }
});

test("A66: a request without a content type is refused", async () => {
  assert.is((await rename(asOwnPage)).status, 415);
});

test("A66: what other sites may only read, they may not even ask for", async () => {
  const get = (site: string) =>
    http(`${server.url}/-/trpc/accounts.getCurrentUser?input=%7B%7D`, {
      headers: { Cookie: cookie, "Sec-Fetch-Site": site },
    });
  for (const site of ["cross-site", "same-site", "none"]) assert.is((await get(site)).status, 403, site);
  assert.is((await get("same-origin")).status, 200);
});

test("A66: nobody is signed out by a link", async () => {
  const { status } = await http(`${server.url}/-/sign_out`, { headers: { Cookie: cookie } });
  assert.is(status, 303);
  assert.is((await rename({ ...asOwnPage, "Content-Type": "application/json" }, '{"name":"untouched"}')).status, 200);
});

test("A67: a procedure that changes something is not called by GET, whatever method a header names", async () => {
  const input = encodeURIComponent('{"name":"taken"}');
  for (const header of ["X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override"]) {
    const headers = { ...asOwnPage, "Content-Type": "application/json", [header]: "POST" };
    for (const method of ["GET", "HEAD"]) {
      const path = `/-/trpc/accounts.updateProfile?input=${input}&_method=POST`;
      const { status } = await http(server.url + path, { method, headers });
      assert.is(status, method === "GET" ? 405 : 204);
    }
  }
  await assertUntouched();
});

test("A67: a batch holds at most ten calls", async () => {
  const get = (calls: number) => {
    const names = Array.from({ length: calls }, () => "accounts.getCurrentUser").join(",");
    const input = JSON.stringify(Object.fromEntries(Array.from({ length: calls }, (_, index) => [index, {}])));
    return http(`${server.url}/-/trpc/${names}?batch=1&input=${encodeURIComponent(input)}`, { headers: asOwnPage });
  };
  assert.is((await get(10)).status, 200);
  assert.is((await get(11)).status, 400);
  assert.is((await get(500)).status, 431, "an address has at most 16 KiB");
});

test("A67: a batch that mixes projects answers for each by itself", async () => {
  const [own, hidden] = [await createProject(server), await createProject(server)];
  const { username } = await newMember(client, own.id, Role.DEVELOPER);
  const signedIn = await signInByForm(server, { username, password: personPassword }, { Origin: origin });
  const input = JSON.stringify({ 0: { projectId: own.id }, 1: { projectId: hidden.id }, 2: { projectId: 999_999 } });
  const { status, json } = await http(
    `${server.url}/-/trpc/errors.listErrors,errors.listErrors,errors.listErrors?batch=1&input=${encodeURIComponent(input)}`,
    { headers: { Cookie: sessionCookie(signedIn) } },
  );
  assert.is(status, 207);
  const [first, second, third] = json as { result?: unknown; error?: { data: { path: string } } }[];
  assert.ok(first?.result);
  assert.equal(second, third, "hidden and missing look alike");
  assert.match(JSON.stringify(second), "PROJECT_NOT_FOUND");
});

test("A67: unknown procedures, the prototype's among them, are not found", async () => {
  for (const name of ["nothing", "accounts.nothing", "__proto__", "constructor", "accounts.__proto__", "accounts"]) {
    const { status } = await callTrpc(server, name, {}, asOwnPage);
    assert.is(status, 404, name);
  }
});

test("A67: an input that no page sends is refused", async () => {
  const get = (input: string) =>
    http(`${server.url}/-/trpc/accounts.getCurrentUser?input=${encodeURIComponent(input)}`, { headers: asOwnPage });
  assert.is((await get(JSON.stringify({ x: "x".repeat(20_000) }))).status, 431);
  for (const input of [
    "{",
    "[]",
    '"text"',
    "1",
    '{"unknown":1}',
    '{"__proto__":{"isAdmin":true}}',
    "[".repeat(4_000),
  ]) {
    assert.is((await get(input)).status, 400, input.slice(0, 40));
  }
  const large = JSON.stringify({ name: "x".repeat(600_000) });
  assert.is((await rename({ ...asOwnPage, "Content-Type": "application/json" }, large)).status, 400);
});

test("A67: an answer to a malformed call shows nothing of the code", async () => {
  for (const body of ["{", '{"name":1}', '{"nothing":1}']) {
    const { status, text } = await rename({ ...asOwnPage, "Content-Type": "application/json" }, body);
    assert.is(status, 400);
    assert.not.match(text, /stack|node_modules|\.[jt]s:\d|SyntaxError/);
  }
});

test("A68: a cookie opens projects.json to our own pages only", async () => {
  const { id } = await createProject(server);
  const key = { case: "projectId", value: id } as const;
  const { project } = await client.projects.getProject({ key }, client.auth);
  const get = (headers: Readonly<Record<string, string>>) =>
    http(`${server.url}/${project?.path}/-/error_tracking/projects.json?api_host=http%3A%2F%2F127.0.0.1%3A1`, {
      headers: { Cookie: cookie, ...headers },
    });
  for (const site of ["none", "cross-site", "same-site"]) {
    assert.is((await get({ "Sec-Fetch-Site": site, "Sec-Fetch-Mode": "navigate" })).status, 403, site);
  }
  assert.is((await get({})).status, 403, "a browser that does not say");
  assert.is((await get({ "Sec-Fetch-Site": "same-origin" })).status, 400, "the host does not answer");
});

test.run();
