// process: the pages of the console know one core in a process
import { ErrorReason } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { startFaultline } from "../../../backend/src/main.ts";
import { callTrpc, cookiesSet, sessionCookie, signInByForm } from "../../support/console/console.ts";
import { grpcClient } from "../../support/core/grpc.ts";
import { http, type HttpAnswer } from "../../support/http/http.ts";
import { newUser } from "../../support/service/movable-faultline.ts";
import { rejects } from "../../support/assert/rejects.ts";
import { tempDir } from "../../support/service/temp-dir.ts";
import { testConfig } from "../../support/service/test-config.ts";
import { bound, measuringTest, stopwatch } from "../../support/measure/measured.ts";

/** Guessing passwords and tokens, behind a proxy that is trusted to name the address it serves. */

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

test("A72: one address that guesses at one account is stopped after ten, the right password too, for a minute", async () => {
  const { username, password } = await newUser(client);
  assert.equal(await inTurn(10, () => guess(username, from("198.51.100.1"))), refused(10));
  assert.is(await guess(username.toUpperCase(), from("198.51.100.1")), 429, "whatever letters");
  assert.is(await guess(username, from("198.51.100.1"), password), 429);
  clock.at += 60_000;
  assert.is(await guess(username, from("198.51.100.1"), password), 303);
});

measuringTest(
  "A72: many addresses that guess at one account wait longer each, and keep nobody out who knows the password",
  async () => {
    const { username, password } = await newUser(client);
    assert.equal(await inTurn(10, (n) => guess(username, from(`198.51.100.${n}`))), refused(10));
    const eleventh = stopwatch();
    assert.is(await guess(username.toUpperCase(), from("198.51.100.99")), 401, "whatever letters");
    bound("the wait of the eleventh guess", eleventh(), { atLeast: 249 }); // timers count whole milliseconds
    const twelfth = stopwatch();
    assert.is(await guess(username, from("203.0.113.1"), password), 303);
    bound("the wait of the twelfth, twice as long for the right password too", twelfth(), { atLeast: 499 });
  },
);

const deviceCookie = (answer: HttpAnswer) =>
  /faultline_device=fld_\w+/.exec(cookiesSet(answer).join()) ?? [assert.unreachable("no device cookie") as never];

measuringTest(
  "A72: a device that signed in before does not wait for guesses of others, not even from its own network",
  async () => {
    const { username, password } = await newUser(client);
    const here = from("203.0.113.30");
    const [Cookie] = deviceCookie(await signInByForm(server, { username, password }, here));
    assert.equal(await inTurn(10, () => guess(username, here)), refused(10));
    assert.is(await guess(username, here, password), 429, "a new device there waits");
    const elsewhere = Array.from({ length: 6 }, (_, n) => guess(username, from(`198.51.100.${n}`)));
    assert.equal(await Promise.all(elsewhere), refused(6));
    const waited = stopwatch();
    assert.is(await guess(username, { ...here, Cookie }, password), 303);
    bound("a known device, without the longest delay, which others have now", waited(), { atMost: 4_000 });
  },
);

test("A72: a device cookie is its user's alone, bears ten guesses a minute, and ends with the password and after 90 days", async () => {
  const [ann, bob] = [await newUser(client), await newUser(client)];
  const here = from("203.0.113.40");
  const signedIn = await signInByForm(server, ann, here);
  const [Cookie] = deviceCookie(signedIn);
  assert.match(
    cookiesSet(signedIn).join("\n"),
    /^faultline_device=fld_\w{1,60}; Max-Age=7776000; Path=\/; HttpOnly; SameSite=Lax$/m,
  );
  const known = { ...here, Cookie };
  assert.equal(await inTurn(10, () => guess(bob.username, known)), refused(10));
  assert.is(await guess(bob.username, known, bob.password), 429, "of another user's account it is no known device");
  assert.equal(await inTurn(10, () => guess(ann.username, known)), refused(10));
  assert.is(await guess(ann.username, known, ann.password), 429);
  assert.is(await guess(ann.username, here, ann.password), 303, "others are not refused for its guesses");

  clock.at += 60_000;
  const isKnown = async (cookie: string, password: string) => {
    const block = async () => guess(ann.username, here);
    assert.equal(await inTurn(10, block), refused(10));
    const status = await guess(ann.username, { ...here, Cookie: cookie }, password);
    clock.at += 60_000;
    return status === 303;
  };
  assert.ok(await isKnown(Cookie, ann.password));
  const forged = Cookie.replace(/\w{32}$/, "0".repeat(32));
  assert.not(await isKnown(forged, ann.password), "a forged one");
  const change = { currentPassword: ann.password, newPassword: "another long password" };
  const { sessionToken } = await client.accounts.signIn(ann);
  const { deviceToken } = await client.accounts.changePassword(change, { token: sessionToken });
  assert.not(await isKnown(Cookie, change.newPassword), "one from before the password changed");
  assert.ok(await isKnown(`faultline_device=${deviceToken}`, change.newPassword));
  clock.at += 90 * 86_400_000;
  assert.not(await isKnown(`faultline_device=${deviceToken}`, change.newPassword), "one of 90 days ago");
});

test("A72: one address that guesses at many accounts is stopped after fifty, and others continue", async () => {
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
    (await callTrpc(server, "accounts.changePassword", { currentPassword, newPassword: "x".repeat(20) }, cookie))
      .status;
  assert.equal(await inTurn(10, () => change("guess")), refused(10));
  assert.is(await change(password), 429);
});

const askedWith = (path: string, token: string, address: string) =>
  http(server.url + path, { headers: { "PRIVATE-TOKEN": token, ...from(address) } });
const wrongToken = (n: number) => `flp_guess-${n}`;

test("A86: of wrong tokens from one network twenty a minute are answered 401 and further ones 429; right ones are taken", async () => {
  const { auth, tokenId, session } = await newUser(client);
  const { token: revoked } = await client.accounts.rotateAccessToken({ tokenId }, session).then(() => auth);
  const { token } = client.auth;
  const own = (n: number) => `2001:db8:9:9::${n.toString(16)}`;
  const doors = ["/api/v4/user", "/api/0/projects/", "/api/v4/projects/1/error_tracking/errors"];
  const door = (n: number) => doors[n % doors.length] ?? "";
  assert.equal(await inTurn(20, async (n) => (await askedWith(door(n), wrongToken(n), own(n))).status), refused(20));
  clock.at += 15_000;
  for (const path of doors) {
    const answer = await askedWith(path, wrongToken(20), own(20));
    assert.equal([answer.status, answer.headers["retry-after"]], [429, "45"]);
    assert.match(answer.text, "Check the token");
    assert.is((await askedWith(path, wrongToken(20), "2001:db8:9:8::1")).status, 401, "another network");
  }
  assert.is((await askedWith("/api/v4/user", token, own(21))).status, 200);
  assert.is((await askedWith("/api/v4/user", revoked, own(21))).status, 401, "a token that was right is no guess");
  assert.is((await http(`${server.url}/api/v4/user`, { headers: from(own(21)) })).status, 401, "no token is none");
  clock.at += 45_000;
  assert.is((await askedWith("/api/v4/user", wrongToken(21), own(22))).status, 401);
});

test("A86: over gRPC wrong tokens are counted by the connection's address; wrong tokens of the console's visitors count for nobody", async () => {
  const ask = (token: string) => client.accounts.getCurrentUser({}, { token });
  for (let n = 0; n < 20; n++) await rejects(ask(wrongToken(n)), "UNAUTHENTICATED");
  const refusal = await rejects(ask(wrongToken(20)), "RESOURCE_EXHAUSTED");
  assert.equal([refusal.reason, refusal.retryAfterSeconds], [ErrorReason.TOO_MANY_ATTEMPTS, 60]);
  assert.ok(await ask(client.auth.token));
  const visit = async () =>
    (await callTrpc(server, "accounts.getCurrentUser", {}, { Cookie: `faultline_session=fls_${"0".repeat(36)}` }))
      .status;
  assert.not((await inTurn(25, visit)).includes(429));
});

/** The answer as a person sees it, without what they typed and what is new each time. */
const seen = ({ status, text }: HttpAnswer, username: string) => ({
  status,
  text: text
    .replaceAll(username, "<name>")
    .replaceAll(/nonce="[^"]+"|__sveltekit_\w+|\b\d{13}\b/g, "")
    .replaceAll(/"[\w+/=-]{20,}"/g, ""),
});

test("A73: nobody learns from a sign-in whether a name or an e-mail address exists, is blocked or has a password", async () => {
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
    assert.equal(
      cookiesSet(answer).map((cookie) => cookie.split("=", 1)[0]),
      ["faultline_session", "faultline_device"],
      "and sets no other cookie",
    );
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
