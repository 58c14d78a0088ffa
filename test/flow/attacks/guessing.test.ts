import { test } from "uvu";
import * as assert from "uvu/assert";
import { startFaultline } from "../../../backend/src/main.ts";
import { callTrpc, cookiesSet, sessionCookie, signInByForm } from "../../support/console.ts";
import { grpcClient } from "../../support/grpc.ts";
import { http, type HttpAnswer } from "../../support/http.ts";
import { newUser } from "../../support/movable-faultline.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { testConfig } from "../../support/test-config.ts";

/** Guessing passwords through the console, behind a proxy that is trusted to name the address it serves. */

const clock = { at: Date.UTC(2026, 0, 10, 12), now: () => clock.at };
const config = testConfig(tempDir());
const faultline = await startFaultline(
  { ...config, http: { ...config.http, trustedProxies: ["127.0.0.1", "10.0.0.0/8"] } },
  clock,
);
const server = { url: faultline.httpUrl };
const client = grpcClient(faultline);
test.after(async () => {
  client.close();
  await faultline.stop();
});
test.before.each(() => {
  clock.at += 60_000; // attempts of the test before are forgiven
});

const from = (address: string) => ({ "X-Forwarded-For": address });
const guess = async (username: string, headers: Readonly<Record<string, string>>, password = "guess") =>
  (await signInByForm(server, { username, password }, headers)).status;
const inTurn = async (count: number, attempt: (n: number) => Promise<number>) => {
  const statuses = [];
  for (let n = 0; n < count; n++) statuses.push(await attempt(n));
  return statuses;
};
const refused = (count: number) => Array.from({ length: count }, () => 401);

test("A72: many addresses that guess at one account are stopped after ten, the right password too, for a minute", async () => {
  const { username, password } = await newUser(client);
  assert.equal(await inTurn(10, (n) => guess(username, from(`198.51.100.${n}`))), refused(10));
  assert.is(await guess(username, from("198.51.100.99")), 429);
  assert.is(await guess(username.toUpperCase(), from("198.51.100.99")), 429, "whatever letters");
  assert.is(await guess(username, from("203.0.113.1"), password), 429);
  clock.at += 60_000;
  assert.is(await guess(username, from("203.0.113.1"), password), 303);
});

test("A72: one address that guesses at many accounts is stopped after fifty, and others go on", async () => {
  const { username, password } = await newUser(client);
  assert.equal(await inTurn(50, (n) => guess(`victim-${n}`, from("203.0.113.7"))), refused(50));
  assert.is(await guess("victim-51", from("203.0.113.7")), 429);
  assert.is(await guess(username, from("203.0.113.7"), password), 429);
  assert.is(await guess(username, from("203.0.113.8"), password), 303);
});

test("A72: what an attacker writes into X-Forwarded-For before the proxy's entry counts for nothing", async () => {
  const forged = (n: number) => from(`192.0.2.${n}, 198.51.100.${n}, 203.0.113.50, 10.0.0.${n}`);
  assert.equal(await inTurn(50, (n) => guess(`forged-${n}`, forged(n))), refused(50));
  assert.is(await guess("forged-51", forged(99)), 429);
  for (const Forwarded of ["for=192.0.2.60", '"for=[2001:db8::1]"']) {
    const headers = { ...forged(98), Forwarded, "X-Real-IP": "192.0.2.61", "X-Client-IP": "192.0.2.62" };
    assert.is(await guess("forged-51", { ...headers, "X-Faultline-Client-Address": "192.0.2.63" }), 429);
  }
});

test("A72: an IPv6 network of one subscriber counts as one", async () => {
  assert.equal(
    await inTurn(50, (n) => guess(`six-${n}`, from(`2001:db8:1:2:${n.toString(16)}::${n.toString(16)}`))),
    refused(50),
  );
  assert.is(await guess("six-51", from("2001:db8:1:2:ffff::1")), 429);
  assert.is(await guess("six-51", from("2001:db8:1:3::1")), 401);
});

test("A72: a session that was found open guesses no faster at the password", async () => {
  const { session, password } = await newUser(client);
  const cookie = { Cookie: `faultline_session=${session.token}` };
  const change = async (currentPassword: string) =>
    (await callTrpc(server, "account.changePassword", { currentPassword, newPassword: "x".repeat(20) }, cookie)).status;
  assert.equal(await inTurn(10, () => change("guess")), refused(10));
  assert.is(await change(password), 429);
});

/** What a person sees, without what they typed and what is new each time. */
const seen = ({ status, text }: HttpAnswer, username: string) => ({
  status,
  text: text
    .replaceAll(username, "<name>")
    .replaceAll(/nonce="[^"]+"|__sveltekit_\w+|\b\d{13}\b/g, "")
    .replaceAll(/"[\w+/=-]{20,}"/g, ""),
});

test("A73: nobody learns at the door whether a name or an e-mail address exists, is blocked or has a password", async () => {
  const known = await newUser(client, { email: "ada@example.com" });
  const blocked = await newUser(client);
  await client.users.updateUser({ userId: blocked.userId, isBlocked: true }, client.auth);
  await client.users.createUser({ username: "no-password" }, client.auth);
  const attempts: [username: string, password: string][] = [
    ["nobody-of-that-name", "guess"],
    ["nobody@example.com", "guess"],
    [known.username, "guess"],
    ["ada@example.com", "guess"],
    [blocked.username, blocked.password],
    ["no-password", ""],
    [known.username, "x".repeat(2_000)],
    ["x".repeat(2_000), "guess"],
    ["' or 1=1 --", "guess"],
  ];
  const answers: ReturnType<typeof seen>[] = [];
  for (const [username, password] of attempts) {
    const answer = await signInByForm(server, { username, password });
    assert.equal(cookiesSet(answer), []);
    answers.push(seen(answer, username));
  }
  const [first] = answers;
  assert.is(first?.status, 401);
  assert.match(first?.text ?? "", "Wrong user name or password.");
  for (const [index, answer] of answers.entries()) assert.is(answer.text, first?.text, attempts[index]?.[0]);
});

const elsewhere = [
  "//evil.example",
  "///evil.example",
  "/\\evil.example",
  "\\\\evil.example",
  "/\t/evil.example",
  "/\n/evil.example",
  "\t//evil.example",
  "https:evil.example",
  "https://evil.example",
  "HTTPS://evil.example",
  "//evil.example\\@errors.example.com",
  "@evil.example",
  ".evil.example",
  "javascript:alert(1)",
  "data:text/html,x",
  "/%0d%0aSet-Cookie: a=b",
  "/x\r\nSet-Cookie: a=b",
  "/.//evil.example",
  "/-/../..//evil.example",
  "/-/sign_in?return_to=//evil.example",
];

for (const returnTo of elsewhere) {
  test(`A75: after the sign-in ${JSON.stringify(returnTo)} leads to no other site`, async () => {
    const answer = await signInByForm(server, { returnTo });
    assert.is(answer.status, 303);
    const location = String(answer.headers.location);
    assert.is(new URL(location, server.url).origin, server.url, location);
    assert.match(location, /^\/(?!\/)/);
    assert.is(cookiesSet(answer).length, 1, "and sets no cookie");
  });
}

test("A75: after the sign-in a page of ours is opened", async () => {
  const { headers } = await signInByForm(server, { returnTo: "/acme/web/-/error_tracking?q=a%2Fb" });
  assert.is(headers.location, "/acme/web/-/error_tracking?q=a%2Fb");
});

test("A75: a path that begins with two slashes leads to no other site", async () => {
  for (const path of [
    "//evil.example",
    "//evil.example/",
    "//evil.example/-/error_tracking",
    "/\\evil.example/-/error_tracking/",
  ]) {
    for (const cookie of ["", sessionCookie(await signInByForm(server))]) {
      const { headers } = await http(server.url + path, { headers: { Cookie: cookie } });
      if (headers.location === undefined) continue;
      assert.is(new URL(headers.location, `${server.url}/-/sign_in`).origin, server.url, headers.location);
    }
  }
});

test.run();
