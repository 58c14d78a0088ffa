// process: the pages of the console know one core in a process
import { ErrorReason, type User } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { postForm } from "../../../support/console/console.ts";
import { execSql, rowsOf } from "../../../support/database/other-process.ts";
import { movableFaultline, newUser, signIn } from "../../../support/service/movable-faultline.ts";
import { tempDir } from "../../../support/service/temp-dir.ts";
import { rejects } from "../../../support/assert/rejects.ts";

const dataDir = tempDir();
const faultline = await movableFaultline({ dataDir });
const { client } = faultline;
const { accounts, users, projects, members, auth } = client;

const names = ({ users: listed }: { users: readonly User[] }) => listed.map(({ username }) => username);

test("a user is made with what was given, the user name in the place of a missing name", async () => {
  const { user } = await users.createUser({ username: "Grace.H_1-x", email: "grace@example.com" }, auth);
  assert.equal(
    [user?.username, user?.name, user?.email, user?.isAdmin, user?.isBlocked, user?.lastSignInTime],
    ["Grace.H_1-x", "Grace.H_1-x", "grace@example.com", false, false, undefined],
  );
});

const refusedUsers: [what: string, user: object, field: string][] = [
  ["no user name", { username: "" }, "username"],
  ["a user name of 1 character", { username: "a" }, "username"],
  ["a user name of 256 characters", { username: "a".repeat(256) }, "username"],
  ["a user name that begins with a hyphen", { username: "-ab" }, "username"],
  ["a user name that begins with a dot", { username: ".ab" }, "username"],
  ["an e-mail address as user name", { username: "a@example.com" }, "username"],
  ["a user name with a line break at its end", { username: "abc\n" }, "username"],
  ["a name of 256 characters", { username: "fine", name: "x".repeat(256) }, "name"],
  ["something else as e-mail address", { username: "fine", email: "fine" }, "email"],
  ["a short password", { username: "fine", password: "elevenchars" }, "password"],
];

for (const [what, user, field] of refusedUsers) {
  test(`a user with ${what} is refused`, async () => {
    const refusal = await rejects(users.createUser(user, auth), "INVALID_ARGUMENT");
    assert.equal([refusal.reason, refusal.field], [ErrorReason.INVALID_FIELD, field]);
  });
}

test("user names and e-mail addresses are unique without regard to case, when they are changed too", async () => {
  const { username } = await newUser(client, { email: "unique@example.com" });
  const other = await newUser(client);
  const upper = username.toUpperCase();
  const taken = [
    { call: users.createUser({ username: upper }, auth), field: "username" },
    { call: users.createUser({ username: "someone", email: "UNIQUE@example.com" }, auth), field: "email" },
    { call: users.updateUser({ userId: other.userId, username: upper }, auth), field: "username" },
    { call: users.updateUser({ userId: other.userId, email: "Unique@Example.com" }, auth), field: "email" },
  ];
  const refusals = await Promise.all(taken.map(({ call }) => rejects(call, "ALREADY_EXISTS")));
  assert.equal(
    refusals.map(({ reason, field }) => ({ reason, field })),
    taken.map(({ field }) => ({ reason: ErrorReason.USERNAME_TAKEN, field })),
  );
  assert.ok(await users.updateUser({ userId: other.userId, username: other.username.toUpperCase() }, auth));
});

test("only administrators see e-mail addresses, last sign-ins and blocked users, each user its own", async () => {
  const ann = await newUser(client, { email: "seen@example.com" });
  const bob = await newUser(client, { email: "hidden@example.com" });
  const seen = async (userId: number, viewer: { token: string }) => {
    const { user } = await users.getUser({ userId }, viewer);
    return [user?.email, user?.lastSignInTime !== undefined];
  };
  assert.equal(await seen(ann.userId, auth), ["seen@example.com", true]);
  assert.equal(await seen(ann.userId, ann.auth), ["seen@example.com", true]);
  assert.equal(await seen(ann.userId, bob.auth), ["", false]);
  assert.equal((await accounts.getCurrentUser({}, ann.auth)).user?.email, "seen@example.com");

  await users.updateUser({ userId: ann.userId, isBlocked: true }, auth);
  const refusal = await rejects(users.getUser({ userId: ann.userId }, bob.auth), "NOT_FOUND");
  const missing = await rejects(users.getUser({ userId: 4_000_000 }, bob.auth), "NOT_FOUND");
  assert.equal([refusal.reason, refusal.message], [missing.reason, missing.message]);
  assert.is(refusal.reason, ErrorReason.USER_NOT_FOUND);
  assert.ok((await users.getUser({ userId: ann.userId }, auth)).user?.isBlocked);
  assert.not(names(await users.listUsers({ pageSize: 100 }, bob.auth)).includes(ann.username));
  assert.ok(names(await users.listUsers({ pageSize: 100 }, auth)).includes(ann.username));
});

test("users are found by a part of their names, and by the whole e-mail address by administrators alone", async () => {
  const { auth: stranger } = await newUser(client);
  await users.createUser({ username: "find_me", name: "Someone 100%", email: "found@example.com" }, auth);
  const found = async (query: string, viewer = auth) => names(await users.listUsers({ query }, viewer));
  for (const query of ["FIND_", "d_m", "one 100%", " find_me "]) {
    assert.equal(await found(query), ["find_me"], query);
    assert.equal(await found(query, stranger), ["find_me"], query);
  }
  for (const query of ["find%", "f_nd", "found@example.co", "\\"]) assert.equal(await found(query), [], query);
  assert.equal(await found("FOUND@example.com"), ["find_me"]);
  assert.equal(await found("found@example.com", stranger), []);
  assert.equal(names(await users.listUsers({ username: "FIND_ME" }, stranger)), ["find_me"]);
  assert.equal(names(await users.listUsers({ username: "find_m" }, stranger)), []);
});

test("users are listed by id in pages, after an id, or with some passed over", async () => {
  const all = names(await users.listUsers({ pageSize: 100 }, auth));
  const { users: listed } = await users.listUsers({ pageSize: 100 }, auth);
  assert.equal(
    listed.map(({ userId }) => userId),
    listed.map(({ userId }) => userId).toSorted((a, b) => a - b),
  );
  const walked: string[] = [];
  for (let pageToken = ""; walked.length === 0 || pageToken !== "";) {
    const page = await users.listUsers({ pageSize: 3, pageToken }, auth);
    assert.is(page.totalSize, all.length);
    walked.push(...names(page));
    pageToken = page.nextPageToken;
  }
  assert.equal(walked, all);
  assert.equal(names(await users.listUsers({ skip: 2, pageSize: 2 }, auth)), all.slice(2, 4));
  const afterUserId = listed[3]?.userId ?? 0;
  assert.equal(names(await users.listUsers({ afterUserId, pageSize: 2 }, auth)), all.slice(4, 6));
  const { nextPageToken: pageToken } = await users.listUsers({ pageSize: 1 }, auth);
  await rejects(users.listUsers({ pageToken, query: "user" }, auth), "INVALID_ARGUMENT");
});

test("only administrators make, change and delete users", async () => {
  const { auth: stranger, session, userId } = await newUser(client);
  const calls = [
    users.createUser({ username: "mine" }, stranger),
    users.updateUser({ userId, isAdmin: true }, session),
    users.deleteUser({ userId: 1 }, session),
    users.createPasswordReset({ userId: 1 }, session),
  ];
  const refusals = await Promise.all(calls.map((call) => rejects(call, "PERMISSION_DENIED")));
  assert.equal(
    refusals.map(({ reason }) => reason),
    calls.map(() => ErrorReason.FORBIDDEN),
  );
});

test("an administrator is made and made a normal user again, and that holds from the next call on", async () => {
  const { userId, auth: promoted } = await newUser(client);
  await users.updateUser({ userId, isAdmin: true }, auth);
  assert.ok(await client.audit.listAuditEvents({}, promoted));
  await users.updateUser({ userId, isAdmin: false }, auth);
  await rejects(client.audit.listAuditEvents({}, promoted), "PERMISSION_DENIED");
});

test("a deleted user is gone with sessions, tokens and memberships, and the name is free", async () => {
  const { userId, username, session, auth: gone } = await newUser(client);
  const { project } = await projects.createProject({ path: "left-behind" }, gone);
  assert.is((await users.deleteUser({ userId }, auth)).user?.username, username);
  await rejects(accounts.getCurrentUser({}, session), "UNAUTHENTICATED");
  await rejects(accounts.getCurrentUser({}, gone), "UNAUTHENTICATED");
  await rejects(users.getUser({ userId }, auth), "NOT_FOUND");
  await rejects(users.deleteUser({ userId }, auth), "NOT_FOUND");
  assert.equal((await members.listMembers({ projectId: project?.projectId ?? 0 }, auth)).members, []);
  const again = await users.createUser({ username }, auth);
  assert.is.not(again.user?.userId, userId);
});

test("nobody deletes or blocks the own account", async () => {
  const { userId, auth: admin } = await newUser(client, { isAdmin: true });
  assert.is((await rejects(users.deleteUser({ userId }, admin), "PERMISSION_DENIED")).reason, ErrorReason.FORBIDDEN);
  const refusal = await rejects(users.updateUser({ userId, isBlocked: true }, admin), "PERMISSION_DENIED");
  assert.is(refusal.reason, ErrorReason.FORBIDDEN);
  assert.ok(await users.updateUser({ userId, isAdmin: false }, admin), "but may give up the rights, beside others");
});

test("the last administrator who can sign in stays administrator, even if two give up simultaneously", async () => {
  const { user: root } = await accounts.getCurrentUser({}, auth);
  const rootId = root?.userId ?? 0;
  const isLast = async (call: Promise<unknown>) =>
    assert.is((await rejects(call, "FAILED_PRECONDITION")).reason, ErrorReason.LAST_OWNER);
  const { users: all } = await users.listUsers({ pageSize: 100 }, auth);
  for (const { userId, isAdmin } of all) {
    if (isAdmin && userId !== rootId) await users.updateUser({ userId, isBlocked: true }, auth);
  }
  await isLast(users.updateUser({ userId: rootId, isAdmin: false }, auth));

  const second = await newUser(client, { isAdmin: true });
  const bothGiveUp = await Promise.allSettled([
    users.updateUser({ userId: rootId, isAdmin: false }, auth),
    users.updateUser({ userId: second.userId, isAdmin: false }, second.auth),
  ]);
  assert.is(bothGiveUp.filter(({ status }) => status === "rejected").length, 1);
  const left = bothGiveUp[0].status === "rejected" ? auth : second.auth;
  assert.ok(await users.updateUser({ userId: rootId, isAdmin: true }, left));
});

test("a process of the previous release, which knows no identities, sets and reads the same passwords", async () => {
  const [ann, bob] = [await newUser(client), await newUser(client)];
  const password = "set by this release";
  await accounts.changePassword({ currentPassword: ann.password, newPassword: password }, ann.session);
  const hashOfAnn = `(select password_hash from "user" where id = ${ann.userId})`;
  await execSql(dataDir, `update "user" set password_hash = ${hashOfAnn} where id = ${bob.userId}`);
  await execSql(
    dataDir,
    `insert into "user" (username, name, password_hash, is_admin, created_at)
    select 'from-before', name, password_hash, is_admin, created_at from "user" where id = ${ann.userId}`,
  );
  for (const { username } of [ann, bob, { username: "from-before" }]) {
    assert.ok(await signIn(client, username, password), username);
  }
  await rejects(signIn(client, bob.username, bob.password), "UNAUTHENTICATED");
  const different = await rowsOf(
    dataDir,
    `select u.id from "user" u left join identity i on i.kind = 'password' and i.user_id = u.id
    where u.password_hash <> coalesce(i.verifier, '')`,
  );
  assert.equal(different, []);
});

test("a password link works once, within a day, and ends every session and access token of the user", async () => {
  const { userId, username, session, auth: token } = await newUser(client);
  const root = await signIn(client);
  const { url } = await users.createPasswordReset({ userId }, root);
  assert.match(url, /^http:\/\/127\.0\.0\.1:\d+\/-\/password_resets\/flr_[0-9A-Za-z]{42}$/);
  const link = tokenOf(url);
  const { username: whose, accessTokenCount } = await users.getPasswordReset({ token: link });
  assert.equal([whose, accessTokenCount], [username, 1]);
  const short = await rejects(users.resetPassword({ token: link, password: "elevenchars" }), "INVALID_ARGUMENT");
  assert.is(short.field, "password");
  const password = "set by a link";
  const resets = await Promise.allSettled([
    users.resetPassword({ token: link, password }),
    users.resetPassword({ token: link, password }),
  ]);
  assert.equal(resets.map(({ status }) => status).toSorted(), ["fulfilled", "rejected"]);
  await rejects(accounts.getCurrentUser({}, session), "UNAUTHENTICATED");
  const revoked = await rejects(accounts.getCurrentUser({}, token), "UNAUTHENTICATED");
  assert.is(revoked.reason, ErrorReason.TOKEN_REVOKED);
  assert.ok(await signIn(client, username, password));
  await isNoLink(link);
});

test("a password link leaves the access tokens of the user if asked to, and the tokens of others always", async () => {
  const [ann, bob] = [await newUser(client), await newUser(client)];
  const root = await signIn(client);
  const reset = async (keepAccessTokens: boolean) => {
    const { url } = await users.createPasswordReset({ userId: ann.userId }, root);
    const password = "set by a link";
    return (await users.resetPassword({ token: tokenOf(url), password, keepAccessTokens })).revokedTokenCount;
  };
  assert.is(await reset(true), 0);
  assert.ok(await accounts.getCurrentUser({}, ann.auth));
  assert.is(await reset(false), 1);
  await rejects(accounts.getCurrentUser({}, ann.auth), "UNAUTHENTICATED");
  assert.ok(await accounts.getCurrentUser({}, bob.auth));
});

const forms: [claim: string, fields: Record<string, string>, left: number][] = [
  ["as it is shown", { asked_about_tokens: "yes", revoke_access_tokens: "on" }, 0],
  ["with the tokens kept", { asked_about_tokens: "yes" }, 1],
  ["without a word about tokens", {}, 0],
];
for (const [claim, fields, left] of forms) {
  test(`the page of a password link, sent ${claim}, leaves ${left} access tokens`, async () => {
    const { userId, username } = await newUser(client);
    const { url } = await users.createPasswordReset({ userId }, await signIn(client));
    const server = { url: new URL(url).origin };
    const answer = await postForm(server, new URL(url).pathname, { password: "set by a page", ...fields });
    assert.is(answer.headers.location, "/-/sign_in?password_set", answer.text);
    const session = await signIn(client, username, "set by a page");
    const { accessTokens } = await accounts.listAccessTokens({}, session);
    assert.is(accessTokens.filter(({ revokedTime }) => revokedTime === undefined).length, left);
  });
}

test("a password link ends after a day, with a newer one, with a changed password, and with its user", async () => {
  const { clock } = faultline;
  const { userId, session, password } = await newUser(client);
  const root = await signIn(client);
  const newLink = async () => tokenOf((await users.createPasswordReset({ userId }, root)).url);
  const links = [await newLink(), await newLink()];
  await isNoLink(links[0]);
  const { sessionToken } = await accounts.changePassword(
    { currentPassword: password, newPassword: "another long password" },
    session,
  );
  assert.ok(sessionToken);
  await isNoLink(links[1]);
  const third = await newLink();
  clock.at += 86_400_000 - 1;
  assert.ok(await users.getPasswordReset({ token: third }));
  clock.at += 1;
  await isNoLink(third);
  const other = await newUser(client);
  const { url } = await users.createPasswordReset({ userId: other.userId }, await signIn(client));
  await users.deleteUser({ userId: other.userId }, auth);
  await isNoLink(tokenOf(url));
});

function tokenOf(url: string): string {
  return url.split("/").at(-1) ?? "";
}

async function isNoLink(token = "") {
  const refusals = await Promise.all([
    rejects(users.getPasswordReset({ token }), "NOT_FOUND"),
    rejects(users.resetPassword({ token, password: "a long new password" }), "NOT_FOUND"),
  ]);
  for (const { reason } of refusals) assert.is(reason, ErrorReason.INVITATION_NOT_FOUND);
}

test.run();
