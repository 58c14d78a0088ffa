// process: the pages of the console know one core in a process
import { Role } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { callTrpc, cookiesSet, postForm, sessionCookie, signInByForm, tokenIn } from "../../support/console/console.ts";
import { http } from "../../support/http/http.ts";
import { dayMs, hourMs, movableFaultline, newUser, signIn } from "../../support/service/movable-faultline.ts";
import { createProject } from "../../support/core/project.ts";
import { rejects } from "../../support/assert/rejects.ts";
import { startServer } from "../../support/service/server.ts";

const { client, faultline, clock } = await movableFaultline();
const server = { url: faultline.httpUrl };

const sessionForms = [
  "fls_chosen-by-an-attacker",
  `fls_${"0".repeat(42)}`,
  "x",
  "",
  "../..",
  "%00",
  "fls_%00",
  "fls_%E2%80%A8",
  "fls_%",
  "fls_a; b",
];

/** The target to which a page redirects a browser with this cookie; empty if it shows the page. */
const leadsTo = async (cookie: string) => {
  const { status, headers } = await http(`${server.url}/-/projects`, { headers: { Cookie: cookie } });
  return status === 200 ? "" : headers.location;
};
const toSignIn = "/-/sign_in?return_to=%2F-%2Fprojects";
const isOver = async (cookie: string) => {
  assert.is(await leadsTo(cookie), toSignIn);
  await rejects(client.accounts.getCurrentUser({}, { token: tokenIn(cookie) }), "UNAUTHENTICATED");
};

test("A70: a session is named by the server alone, whatever cookie the browser had before", async () => {
  for (const value of sessionForms) {
    const planted = `faultline_session=${value}`;
    assert.is(await leadsTo(planted), toSignIn, value);
    const cookie = sessionCookie(await signInByForm(server, {}, { Cookie: planted }));
    assert.is.not(cookie, planted);
    assert.is(await leadsTo(cookie), "");
    assert.is(await leadsTo(planted), toSignIn, value);
  }
});

test("A70: signing in ends the session that the browser had before, an attacker's own among them", async () => {
  const attacker = await newUser(client);
  const planted = `faultline_session=${attacker.session.token}`;
  assert.is(await leadsTo(planted), "");
  const cookie = sessionCookie(await signInByForm(server, {}, { Cookie: planted }));
  await isOver(planted);
  const { user } = await client.accounts.getCurrentUser({}, { token: tokenIn(cookie) });
  assert.is(user?.username, "root");
});

test("A70: a failed sign-in begins no session and leaves the existing one", async () => {
  const { session } = await newUser(client);
  const cookie = `faultline_session=${session.token}`;
  const answer = await signInByForm(server, { password: "guess" }, { Cookie: cookie });
  assert.equal([answer.status, cookiesSet(answer)], [401, []]);
  assert.is(await leadsTo(cookie), "");
});

test("A70: people who register by an invitation get a new session", async () => {
  const project = await createProject(server);
  const attacker = await newUser(client);
  const request = { projectId: project.id, role: Role.DEVELOPER };
  const { url } = await client.members.createInvitation(request, client.auth);
  const planted = `faultline_session=${attacker.session.token}`;
  const form = { username: "newcomer", name: "", email: "", password: "a long enough passphrase" };
  const path = new URL(url).pathname;
  const cookie = sessionCookie(await postForm(server, `${path}?/register`, form, { Cookie: planted }));
  await isOver(planted);
  const { user } = await client.accounts.getCurrentUser({}, { token: tokenIn(cookie) });
  assert.is(user?.username, "newcomer");
});

test("A70: a changed password brings a new session and ends all others", async () => {
  const { username, password } = await newUser(client);
  const [cookie, stolen] = await Promise.all(
    [1, 2].map(async () => sessionCookie(await signInByForm(server, { username, password }))),
  );
  const form = { current_password: password, new_password: "another long password" };
  const changed = await postForm(server, "/-/profile/account?/password", form, { Cookie: cookie ?? "" });
  const next = sessionCookie(changed);
  assert.is(await leadsTo(next), "");
  await isOver(cookie ?? "");
  await isOver(stolen ?? "");
});

test("A71: a stolen cookie is worth nothing after 12 hours without use", async () => {
  const cookie = sessionCookie(await signInByForm(server));
  clock.at += 12 * hourMs - 1;
  assert.is(await leadsTo(cookie), "");
  clock.at += 12 * hourMs;
  await isOver(cookie);
});

test("A71: a stolen cookie is worth nothing after 30 days, however often it is used", async () => {
  const cookie = sessionCookie(await signInByForm(server));
  const end = clock.at + 30 * dayMs;
  for (; clock.at < end; clock.at += 11 * hourMs) assert.is(await leadsTo(cookie), "");
  clock.at = end;
  await isOver(cookie);
});

test("A71: signing out ends the session on the server and takes the cookie away", async () => {
  const cookie = sessionCookie(await signInByForm(server));
  const answer = await postForm(server, "/-/sign_out", {}, { Cookie: cookie });
  assert.is(answer.headers.location, "/-/sign_in");
  assert.match(cookiesSet(answer).join(), /^faultline_session=; Max-Age=0; Path=\//);
  await isOver(cookie);
});

test("A71: a thief's session is seen in the list and ended there", async () => {
  const { username, password, session } = await newUser(client);
  const stolen = sessionCookie(await signInByForm(server, { username, password }, { "User-Agent": "Thief/1.0" }));
  const { sessions } = await client.accounts.listSessions({}, session);
  const { sessionId } = sessions.find(({ userAgent }) => userAgent === "Thief/1.0") ?? {};
  const own = { Cookie: `faultline_session=${session.token}` };
  assert.is((await callTrpc(server, "accounts.endSession", { sessionId }, own)).status, 200);
  await isOver(stolen);
  assert.is(await leadsTo(own.Cookie), "");
});

test("A71: the cookie is read by no script, sent to no other site, and kept as long as a session lasts", async () => {
  const [cookie = ""] = cookiesSet(await signInByForm(server));
  const attributes = cookie.split("; ").slice(1);
  assert.equal(attributes.toSorted(), ["HttpOnly", "Max-Age=2592000", "Path=/", "SameSite=Lax"]);
});

test("A70: with https the cookie is Secure and can be set by this host alone", async () => {
  const origin = "https://errors.example.com";
  const secure = await startServer({ env: { FAULTLINE_BASE_URL: origin } });
  try {
    const answer = await signInByForm(secure, {}, { Origin: origin });
    const [cookie = ""] = cookiesSet(answer);
    assert.match(cookie, /^__Host-faultline_session=fls_/);
    assert.match(cookie, /; Path=\//);
    assert.match(cookie, /; HttpOnly/);
    assert.match(cookie, /; Secure/);
    assert.not.match(cookie, /Domain/i);
    const status = async (Cookie: string) => (await http(`${secure.url}/-/projects`, { headers: { Cookie } })).status;
    assert.is(await status(sessionCookie(answer)), 200);
    const planted = `faultline_session=${tokenIn(sessionCookie(answer))}`;
    assert.is(await status(planted), 303, "the name that a sub-domain could set is not read");
  } finally {
    await secure.stop();
  }
});

test("sessions of one person end nobody else's", async () => {
  const other = await signIn(client);
  const cookie = sessionCookie(await signInByForm(server));
  await postForm(server, "/-/sign_out", {}, { Cookie: cookie });
  assert.ok(await client.accounts.getCurrentUser({}, other));
});

test.run();
