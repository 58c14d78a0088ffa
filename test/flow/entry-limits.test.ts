import { once } from "node:events";
import { connect } from "node:net";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { postForm, sessionCookie, signInByForm } from "../support/console/console.ts";
import { createProject } from "../support/core/project.ts";
import { storedErrors } from "../support/database/stored.ts";
import { http } from "../support/http/http.ts";
import { cursorsOf, webApi } from "../support/external/web-api.ts";
import { until } from "../support/run/until.ts";
import { newEventId, sendStore } from "../support/sentry/send.ts";
import { sharedServer } from "../support/service/flow.ts";
import { rootToken } from "../support/service/server.ts";

/** Requests that pages and APIs refuse before they read or parse them, and the number of concurrent answers. */

const { server, client } = await sharedServer();

/** The answer to the head of a request without its body. */
async function answerToHead(
  line: string,
  headers: Readonly<Record<string, string>>,
  localAddress?: string,
): Promise<string> {
  const { host, hostname, port } = new URL(server.url);
  const socket = connect({ host: hostname, port: Number(port), ...(localAddress !== undefined && { localAddress }) });
  const head = Object.entries({ host, ...headers }).map(([name, value]) => `${name}: ${value}`);
  socket.write([line, ...head, "", ""].join("\r\n"));
  const [answer] = (await once(socket, "data")) as [Buffer];
  socket.destroy();
  return answer.toString();
}

const ofForm = { origin: server.url, "content-type": "application/x-www-form-urlencoded" };

test("a long form of a stranger is refused by its head", async () => {
  for (const path of ["/-/sign_in", "/-/invitations/x?/register", "/-/password_resets/x", "/-/unsubscribe/x"]) {
    for (const cookie of ["", "faultline_session=fls_of-nobody"]) {
      const answer = await answerToHead(`POST ${path} HTTP/1.1`, { ...ofForm, cookie, "content-length": "500000" });
      assert.match(answer, /^HTTP\/1\.1 413 /, `${path} ${cookie}`);
    }
  }
});

test("a form of a stranger that does not announce its length is refused by its head", async () => {
  const answer = await answerToHead("POST /-/sign_in HTTP/1.1", { ...ofForm, "transfer-encoding": "chunked" });
  assert.match(answer, /^HTTP\/1\.1 413 /);
});

test("Faultline reads 60 forms a minute from a network of strangers, and a page's script gets the refusal as a sentence", async () => {
  const form = (more: Readonly<Record<string, string>> = {}) =>
    answerToHead("POST /-/sign_in HTTP/1.1", { ...ofForm, "content-length": "500000", ...more }, "127.9.0.1");
  for (let n = 0; n < 60; n++) assert.match(await form(), /^HTTP\/1\.1 413 /);
  assert.match(await form(), /^HTTP\/1\.1 429 [^]*retry-after: [56]\d\r\n/i);
  assert.match(await form({ "x-sveltekit-action": "true" }), /"type":"failure".*Your network has sent too many forms/);
  assert.is((await signInByForm(server)).status, 303, "another address");
});

test("a form with more fields than its page has is refused before it is parsed", async () => {
  const fields = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`f${n}`, ""]));
  assert.is((await postForm(server, "/-/sign_in", fields(33))).status, 413);
  const cookie = sessionCookie(await signInByForm(server));
  assert.is((await postForm(server, "/-/preferences", fields(2_001), { cookie })).status, 413);
});

test("a form that is none is refused with 400, and nothing is logged as a failure", async () => {
  const before = server.output().length;
  const answer = await http(`${server.url}/-/sign_in`, {
    method: "POST",
    headers: { origin: server.url, "content-type": "multipart/form-data; boundary=x" },
    body: "--y\r\nContent-Disposition: nothing\r\n\r\n",
  });
  assert.is(answer.status, 400);
  assert.not.match(server.output().slice(before), /"level":("error"|50)/);
});

test("mappings for a project that does not exist are refused before they are sent", async () => {
  const answer = await answerToHead("POST /api/0/projects/nobody/nothing/files/dsyms/ HTTP/1.1", {
    authorization: `Bearer ${rootToken}`,
    "content-type": "multipart/form-data; boundary=x",
    "content-length": "16000000",
  });
  assert.match(answer, /^HTTP\/1\.1 404 /);
});

test("a release record of many empty values is refused before it is parsed", async () => {
  const answer = await http(`${server.url}/api/0/organizations/acme/releases/`, {
    method: "POST",
    headers: { authorization: `Bearer ${rootToken}`, "content-type": "application/json" },
    body: `{"version":"x","a":[${"{},".repeat(200_000)}{}]}`,
  });
  assert.is(answer.status, 413);
  assert.match(answer.text, /would take more than 5 MiB of memory/);
});

test("a body beyond the memory of its network is refused with 503, and accepted when other bodies are gone", async () => {
  const line = "POST /api/0/organizations/acme/releases/ HTTP/1.1";
  const headers = { authorization: `Bearer ${rootToken}`, "content-type": "application/json" };
  const { host, hostname, port } = new URL(server.url);
  const head = Object.entries({ host, ...headers, "content-length": "2097152" }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  const held = Array.from({ length: 16 }, () => connect({ host: hostname, port: Number(port) }));
  for (const socket of held) {
    socket.write([line, ...head, "", ""].join("\r\n"));
    socket.write(Buffer.alloc(2_097_151, " "));
  }
  const status = async () =>
    (
      await http(`${server.url}/api/0/organizations/acme/releases/`, {
        method: "POST",
        headers,
        body: " ".repeat(1_000),
      })
    ).status;
  await until("they are held", async () => (await status()) === 503);
  for (const socket of held) socket.destroy();
  await until("they are gone", async () => (await status()) === 400);
});

test("pages of whole events end after 2 MB, and their cursors lead through all events once", async () => {
  const project = await createProject(server);
  const text = "x".repeat(900);
  const extra = Object.fromEntries(Array.from({ length: 500 }, (_, key) => [`key ${key}`, text]));
  const sent = Array.from({ length: 12 }, () => newEventId());
  for (const event_id of sent) await sendStore(server, project, { event_id, message: "large", extra });
  await until("they are stored", async () => (await storedErrors(client, project.id))[0]?.eventCount === sent.length);
  const [error] = await storedErrors(client, project.id);
  const ids: unknown[] = [];
  const pages: number[] = [];
  for (let cursor: string | undefined = ""; cursor !== undefined;) {
    const query: string = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const page = await webApi(server, `GET /issues/${error?.errorId}/events/?full=1${query}`);
    const events = page.json as { eventID: string }[]; // the shape is what issues.test.ts asserts
    pages.push(events.length);
    ids.push(...events.map(({ eventID }) => eventID));
    cursor = cursorsOf(page).next;
  }
  assert.equal(ids.toSorted(), sent.toSorted());
  assert.ok(pages.length >= 3, `${pages.join(", ")} events a page`);
});

test.run();
