import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { OpenForms } from "../../plugins/http-bridge/src/pages/open-forms.ts";
import { until } from "../support/run/until.ts";
import { http } from "../support/http/http.ts";

const test = suite("forms of strangers");

const clock = { at: 0, now: () => clock.at };
let forms: OpenForms;
/** Begins a session where the form is right, and otherwise refuses what passes. */
const server = createServer((request, response) => {
  const ip = String(request.headers["x-sender"]);
  const page = () => {
    if (request.headers["x-right"])
      response.setHeader("set-cookie", ["other=1", "__Host-faultline_session=fls_x; Path=/"]);
    response.writeHead(request.headers["x-right"] ? 303 : 401);
    underWay.push(response);
    if (!request.headers["x-held"]) response.end();
  };
  forms.answer(request, response, { path: request.url ?? "", ip, page });
});
/** Responses that a page began. */
const underWay: ServerResponse[] = [];
server.listen(0, "127.0.0.1");
await once(server, "listening");
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

test.before.each(() => {
  forms = new OpenForms(clock);
  underWay.length = 0;
});
test.after(() => void server.close());

const send = (sender: string, headers: Record<string, string> = {}, path = "/-/sign_in") =>
  http(url + path, { method: "POST", headers: { "x-sender": sender, ...headers } });

/** How many of so many forms are read; 20 are sent together, which is fewer than may wait. */
async function read(count: number, ...[senderOf, headers]: [(n: number) => string, Record<string, string>?]) {
  let answered = 0;
  for (let from = 0; from < count; from += 20) {
    const some = Array.from({ length: Math.min(20, count - from) }, (_, n) => send(senderOf(from + n), headers));
    answered += (await Promise.all(some)).filter(({ status }) => status !== 429).length;
  }
  return answered;
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

test("of a /48, 8 forms are answered immediately and 32 wait; another network does not wait", async () => {
  const held = { "x-held": "1" };
  let refused = 0;
  const answers = Array.from({ length: 50 }, async (_, n) => {
    const { status, headers } = await send(`2001:db8:1:${n.toString(16)}::1`, held);
    if (status === 429 && headers["retry-after"] === "10") refused++;
  });
  await until("40 forms are under way", () => underWay.length === 8 && refused === 10);
  assert.is((await send("192.0.2.1")).status, 401);
  assert.is(underWay.length, 9);
  for (let n = 0; n < 41; n++) {
    await until("the next form", () => underWay[n] !== undefined);
    underWay[n]?.end();
  }
  await Promise.all(answers);
  assert.is(refused, 10);
});

test("forms that begin a session do not count", async () => {
  for (let n = 0; n < 3; n++) assert.is(await read(50, () => "192.0.2.1", { "x-right": "1" }), 50);
});

test("a page's script gets the refusal in the form of an action", async () => {
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
