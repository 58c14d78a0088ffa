import { timestampMs } from "@bufbuild/protobuf/wkt";
import { ErrorReason } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { dayMs, hourMs, movableFaultline, newUser, signIn } from "../../../support/service/movable-faultline.ts";
import { rejects } from "../../../support/assert/rejects.ts";

const { client, clock } = await movableFaultline();
const { accounts, users } = client;

const isOver = async (session: { token: string }, reason: ErrorReason = ErrorReason.TOKEN_REQUIRED) =>
  assert.is((await rejects(accounts.getCurrentUser({}, session), "UNAUTHENTICATED")).reason, reason);

test("a session ends 12 hours after its last use", async () => {
  const session = await signIn(client);
  clock.at += 12 * hourMs - 1;
  assert.ok(await accounts.getCurrentUser({}, session));
  clock.at += 12 * hourMs - 1;
  assert.ok(await accounts.getCurrentUser({}, session));
  clock.at += 12 * hourMs;
  await isOver(session, ErrorReason.TOKEN_EXPIRED);
});

test("a session that is used each hour ends 30 days after the sign-in", async () => {
  const session = await signIn(client);
  const end = clock.at + 30 * dayMs;
  for (; clock.at < end; clock.at += 11 * hourMs) await accounts.getCurrentUser({}, session);
  clock.at = end - 1;
  assert.ok(await accounts.getCurrentUser({}, session));
  clock.at = end;
  await isOver(session, ErrorReason.TOKEN_EXPIRED);
});

test("a sign-in removes sessions that are over, so that they are not known any more", async () => {
  const idle = await signIn(client);
  clock.at += 12 * hourMs;
  await isOver(idle, ErrorReason.TOKEN_EXPIRED);
  await signIn(client);
  await isOver(idle);
});

test("sessions are listed with where they came from, the last used first", async () => {
  const { username, password, session } = await newUser(client);
  clock.at += hourMs;
  const { sessionToken: token } = await accounts.signIn({
    username,
    password,
    clientAddress: "2001:db8::1",
    userAgent: "Browser/1.0 ".repeat(50),
  });
  clock.at += 60_000;
  const { sessions } = await accounts.listSessions({}, session);
  assert.equal(
    sessions.map(({ isCurrent }) => isCurrent),
    [true, false],
    "the older one was used by this very call",
  );
  const other = sessions[1];
  assert.is(other?.clientAddress, "2001:db8::1");
  assert.is(other?.userAgent.length, 255);
  assert.is(other?.expiresTime && timestampMs(other.expiresTime), clock.at - 60_000 + 12 * hourMs);
  clock.at += 11 * hourMs;
  await accounts.getCurrentUser({}, { token });
  clock.at += hourMs;
  assert.equal(
    (await accounts.listSessions({}, { token })).sessions.map(({ isCurrent }) => isCurrent),
    [true],
    "a session that is over is not listed",
  );
});

test("people end their own sessions and nobody else's", async () => {
  const [ann, bob] = [await newUser(client), await newUser(client)];
  const second = await signIn(client, ann.username, ann.password);
  const idOf = async (session: { token: string }) =>
    (await accounts.listSessions({}, session)).sessions.find(({ isCurrent }) => isCurrent)?.sessionId ?? 0;
  const sessionId = await idOf(second);
  for (const stranger of [bob.session, await signIn(client)]) {
    const refusal = await rejects(accounts.endSession({ sessionId }, stranger), "NOT_FOUND");
    assert.is(refusal.reason, ErrorReason.SESSION_NOT_FOUND);
  }
  assert.ok(await accounts.getCurrentUser({}, second));
  await accounts.endSession({ sessionId }, ann.session);
  await isOver(second);
  await rejects(accounts.endSession({ sessionId }, ann.session), "NOT_FOUND");
  assert.ok(await accounts.getCurrentUser({}, ann.session));
});

test("signing out everywhere ends all sessions of the user, and no token and no session of others", async () => {
  const [ann, bob] = [await newUser(client), await newUser(client)];
  const second = await signIn(client, ann.username, ann.password);
  await accounts.signOut({ everywhere: true }, second);
  await isOver(ann.session);
  await isOver(second);
  assert.ok(await accounts.getCurrentUser({}, ann.auth));
  assert.ok(await accounts.getCurrentUser({}, bob.session));
});

test("a changed password ends every session, brings a new one, and takes the place of the old password", async () => {
  const { username, password, session, auth } = await newUser(client);
  const second = await signIn(client, username, password);
  const newPassword = "another long password";
  const { sessionToken } = await accounts.changePassword({ currentPassword: password, newPassword }, session);
  await isOver(session);
  await isOver(second);
  assert.is((await accounts.listSessions({}, { token: sessionToken })).sessions.length, 1);
  assert.ok(await accounts.getCurrentUser({}, auth), "tokens stay");
  await rejects(accounts.signIn({ username, password }), "UNAUTHENTICATED");
  assert.ok(await signIn(client, username, newPassword));
});

test("people who change their password may revoke their access tokens with it", async () => {
  const { password, session, auth } = await newUser(client);
  const other = await newUser(client);
  const change = { currentPassword: password, newPassword: "another long password", revokeAccessTokens: true };
  const { revokedTokenCount } = await accounts.changePassword(change, session);
  assert.is(revokedTokenCount, 1);
  await isOver(auth, ErrorReason.TOKEN_REVOKED);
  assert.ok(await accounts.getCurrentUser({}, other.auth));
});

test("a password is not changed without the current one, and guesses at it are limited as at the sign-in", async () => {
  const { username, password, session } = await newUser(client);
  const change = (currentPassword: string, newPassword = "another long password") =>
    accounts.changePassword({ currentPassword, newPassword }, session);
  for (const short of ["", "elevenchars", "x".repeat(1_025)]) {
    assert.is((await rejects(change(password, short), "INVALID_ARGUMENT")).field, "new_password");
  }
  const wrong = await rejects(change("guess"), "UNAUTHENTICATED");
  assert.equal([wrong.reason, wrong.field], [ErrorReason.WRONG_CREDENTIALS, "current_password"]);
  for (let n = 0; n < 9; n++) await rejects(change("guess"), "UNAUTHENTICATED");
  assert.is((await rejects(change(password), "RESOURCE_EXHAUSTED")).reason, ErrorReason.TOO_MANY_ATTEMPTS);
  await rejects(accounts.signIn({ username, password }), "RESOURCE_EXHAUSTED");
  clock.at += 60_000;
  assert.ok(await change(password));
});

test("of two simultaneous changes of a password, one succeeds", async () => {
  const { username, password, session } = await newUser(client);
  const wanted = ["the first new password", "the second new password"];
  const changes = await Promise.allSettled(
    wanted.map((newPassword) => accounts.changePassword({ currentPassword: password, newPassword }, session)),
  );
  const done = changes.findIndex(({ status }) => status === "fulfilled");
  assert.equal(changes.map(({ status }) => status).toSorted(), ["fulfilled", "rejected"]);
  assert.ok(await signIn(client, username, wanted[done]));
});

test("blocking ends the sessions of a user and refuses the tokens, and unblocking brings the tokens back", async () => {
  const { userId, session, auth } = await newUser(client);
  await users.updateUser({ userId, isBlocked: true }, client.auth);
  await isOver(session);
  await isOver(auth);
  await users.updateUser({ userId, isBlocked: false }, client.auth);
  await isOver(session);
  assert.ok(await accounts.getCurrentUser({}, auth));
});

test.run();
