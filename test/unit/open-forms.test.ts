import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { OpenForms } from "../../plugins/http-bridge/src/pages/open-forms.ts";
import { http } from "../support/http/http.ts";

const test = suite("forms of strangers");

const clock = { at: 0, now: () => clock.at };
let forms: OpenForms;
/** Begins a session where the form is right, and otherwise refuses what passes. */
const server = createServer((request, response) => {
  const ip = String(request.headers["x-sender"]);
  if (!forms.pass(request, response, { path: request.url ?? "", ip })) return;
  if (request.headers["x-right"])
    response.setHeader("set-cookie", ["other=1", "__Host-faultline_session=fls_x; Path=/"]);
  response.writeHead(request.headers["x-right"] ? 303 : 401).end();
});
server.listen(0, "127.0.0.1");
await once(server, "listening");
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

test.before.each(() => void (forms = new OpenForms(clock)));
test.after(() => void server.close());

const send = (sender: string, headers: Record<string, string> = {}, path = "/-/sign_in") =>
  http(url + path, { method: "POST", headers: { "x-sender": sender, ...headers } });

/** How many of so many forms are read. */
async function read(count: number, ...[senderOf, headers]: [(n: number) => string, Record<string, string>?]) {
  const answers = await Promise.all(Array.from({ length: count }, (_, n) => send(senderOf(n), headers)));
  return answers.filter(({ status }) => status !== 429).length;
}

test("a network sends 60 forms a minute, whatever it sends beyond them", async () => {
  assert.is(await read(100, () => "192.0.2.1"), 60);
  const refused = await send("192.0.2.1");
  assert.equal(
    [refused.status, refused.headers["retry-after"], refused.text],
    [429, "60", "Your network has sent too many forms within a minute. Try again in 60 s.\n"],
  );
  assert.is((await send("192.0.2.2")).status, 401);
  clock.at += 59_999;
  assert.is((await send("192.0.2.1")).headers["retry-after"], "1");
  clock.at += 1;
  assert.is((await send("192.0.2.1")).status, 401);
});

test("the networks of one /48 send 120 forms a minute, and another /48 and browsers that signed in before are not refused", async () => {
  assert.is(await read(400, (n) => `2001:db8:1:${n.toString(16)}::1`), 120);
  assert.is((await send("2001:db8:2::1")).status, 401);
  assert.is((await send("2001:db8:1:1::1", { cookie: "a=b; __Host-faultline_device=fld_x" })).status, 401);
  assert.is((await send("2001:db8:1:1::1", { cookie: "my_faultline_device=fld_x" })).status, 429);
});

test("forms that begin a session do not count", async () => {
  for (let n = 0; n < 3; n++) assert.is(await read(50, () => "192.0.2.1", { "x-right": "1" }), 50);
});

test("to a page's script the refusal is that of an action", async () => {
  await read(60, () => "192.0.2.1");
  const { status, json } = await send("192.0.2.1", { "x-sveltekit-action": "true" });
  const { type, data } = json as { type: string; data: string };
  assert.equal([status, type], [200, "failure"]);
  assert.match(data, "Your network has sent too many forms within a minute.");
});

const paths: [path: string, isCounted: boolean][] = [
  ["/-/sign_in", true],
  ["/-/sign_in/", true],
  ["/%2D/sign%5Fin", true],
  ["/%", false],
  ["/-/invitations/x", true],
  ["/-/password_resets/x", true],
  ["/-/confirm_email/x", true],
  ["/-/sign_in_again", false],
  ["/-/sign_out", false],
  ["/-/unsubscribe/x", false],
  ["/acme/-/sign_in", false],
];
for (const [path, isCounted] of paths) {
  test(`${path} is ${isCounted ? "one of" : "none of"} them`, async () => {
    await read(60, () => "192.0.2.1");
    assert.is((await send("192.0.2.1", {}, path)).status, isCounted ? 429 : 401);
  });
}

test.run();
