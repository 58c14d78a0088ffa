import { Permission, Role } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { startFaultline } from "../../../../backend/src/main.ts";
import { grpcClient } from "../../../support/core/grpc.ts";
import { liesInDatabase, rowsOf } from "../../../support/database/other-process.ts";
import { refusedBecause } from "../../../support/assert/refused-because.ts";
import { tempDir } from "../../../support/service/temp-dir.ts";
import { testConfig } from "../../../support/service/test-config.ts";
import { makePerson, makeProject, password, type Person } from "./people.ts";

const dayMs = 86_400_000;
const clock = { at: Date.UTC(2026, 0, 10), now: () => clock.at };
const config = testConfig(tempDir());
let faultline = await startFaultline(config, clock);
let client = grpcClient(faultline);

async function restart(): Promise<void> {
  client.close();
  await faultline.stop();
  faultline = await startFaultline(config, clock);
  client = grpcClient(faultline);
}
test.after(async () => {
  client.close();
  await faultline.stop();
});

const ann = await makePerson(client, "ann");
const bob = await makePerson(client, "bob");
const tokenOf = (url: string) => url.split("/").at(-1) ?? "";

/** Makes an invitation; the token of its link. */
async function invite(projectId: number, role: Role, auth = client.auth): Promise<string> {
  return tokenOf((await client.members.createInvitation({ projectId, role }, auth)).url);
}

async function refusedLink(token: string): Promise<void> {
  await refusedBecause("INVITATION_NOT_FOUND", client.members.getInvitation({ token }));
  await refusedBecause("INVITATION_NOT_FOUND", client.members.acceptInvitation({ token }, bob.auth));
  const register = { token, username: "refused", password };
  await refusedBecause("INVITATION_NOT_FOUND", client.members.registerByInvitation(register));
}

const roleIn = async (projectId: number, { auth }: Person) =>
  (await client.projects.getProject({ key: { case: "projectId", value: projectId } }, auth)).project?.role;

const inDatabase = (statement: string) => rowsOf(config.dataDir, statement);

let count = 0;
const newProject = (...members: Parameters<typeof makeProject>[2] & object[]) =>
  makeProject(client, `invitations/${(count += 1)}`, members);

test("a link lets one person join, once", async () => {
  const projectId = await newProject();
  const { invitation, url } = await client.members.createInvitation(
    { projectId, role: Role.DEVELOPER, note: "Bob of the shop team" },
    client.auth,
  );
  assert.match(url, new RegExp(`^${faultline.httpUrl}/-/invitations/fli_\\w+$`));
  assert.is(invitation?.note, "Bob of the shop team");
  assert.is(invitation?.invitedBy, "root");
  const token = tokenOf(url);
  const shown = await client.members.getInvitation({ token });
  assert.equal(
    [shown.invitation?.role, shown.invitation?.note, shown.projectPath],
    [Role.DEVELOPER, "", `invitations/${count}`],
  );
  const { member, projectPath } = await client.members.acceptInvitation({ token }, bob.auth);
  assert.equal([member?.user?.username, member?.role, projectPath], ["bob", Role.DEVELOPER, `invitations/${count}`]);
  assert.is(await roleIn(projectId, bob), Role.DEVELOPER);
  await refusedLink(token);
  assert.is((await client.members.listInvitations({ projectId }, client.auth)).invitations.length, 0);
});

test("the database holds no link", async () => {
  const token = await invite(await newProject(), Role.GUEST);
  assert.not.ok(await liesInDatabase(config.dataDir, token));
});

test("an invitation that was not accepted gives no access, though the user exists already", async () => {
  const projectId = await newProject();
  await client.users.updateUser({ userId: bob.userId, email: "bob@h.example" }, client.auth);
  for (const note of ["bob", "bob@h.example"]) {
    await client.members.createInvitation({ projectId, role: Role.OWNER, note }, client.auth);
  }
  await refusedBecause("PROJECT_NOT_FOUND", roleIn(projectId, bob));
  await refusedBecause("PROJECT_NOT_FOUND", client.errors.listErrors({ projectId }, bob.auth));
  await refusedBecause("PROJECT_NOT_FOUND", client.members.listInvitations({ projectId }, bob.auth));
  const { projects } = await client.projects.listProjects({ pageSize: 100 }, bob.auth);
  assert.not.ok(projects.some((project) => project.projectId === projectId));
  const { members } = await client.members.listMembers({ projectId }, client.auth);
  assert.equal(
    members.map(({ user }) => user?.username),
    ["root"],
  );
});

test("existing members keep the role that allows more", async () => {
  for (const [own, invited, then] of [
    [Role.DEVELOPER, Role.REPORTER, Role.DEVELOPER],
    [Role.DEVELOPER, Role.DEVELOPER, Role.DEVELOPER],
    [Role.DEVELOPER, Role.OWNER, Role.OWNER],
  ] as const) {
    const projectId = await newProject([bob, own]);
    const token = await invite(projectId, invited);
    const { member } = await client.members.acceptInvitation({ token }, bob.auth);
    assert.is(member?.role, then);
    assert.is(await roleIn(projectId, bob), then);
    await refusedLink(token);
  }
});

test("an invitation may give a custom role", async () => {
  const projectId = await newProject();
  const { memberRole } = await client.memberRoles.createMemberRole(
    { name: "Inviter", baseRole: Role.GUEST, permissions: [Permission.ADMIN_MEMBERS] },
    client.auth,
  );
  const memberRoleId = memberRole?.memberRoleId ?? 0;
  const { url } = await client.members.createInvitation({ projectId, memberRoleId }, client.auth);
  const { member } = await client.members.acceptInvitation({ token: tokenOf(url) }, bob.auth);
  assert.equal([member?.role, member?.memberRole?.name], [Role.GUEST, "Inviter"]);
  assert.ok(await invite(projectId, Role.GUEST, bob.auth));
  await refusedBecause("FORBIDDEN", invite(projectId, Role.REPORTER, bob.auth));
});

test("people without a user register by a link, and are then signed in and members", async () => {
  const projectId = await newProject();
  const token = await invite(projectId, Role.REPORTER);
  const registered = await client.members.registerByInvitation({
    token,
    username: "eve",
    email: "eve@h.example",
    password,
    userAgent: "Browser/1.0",
  });
  assert.is(registered.projectPath, `invitations/${count}`);
  assert.equal([registered.user?.username, registered.user?.name, registered.user?.isAdmin], ["eve", "eve", false]);
  const auth = { token: registered.sessionToken };
  const eve = { userId: registered.user?.userId ?? 0, username: "eve", auth };
  assert.is(await roleIn(projectId, eve), Role.REPORTER);
  assert.is((await client.accounts.listSessions({}, auth)).sessions[0]?.userAgent, "Browser/1.0");
  assert.ok((await client.accounts.signIn({ username: "eve@h.example", password })).sessionToken);
  await refusedLink(token);
});

test("a refused registration leaves neither user nor session, and the link works on", async () => {
  const token = await invite(await newProject(), Role.GUEST);
  const before = await inDatabase(
    `select (select count(*) from "user") as users, (select count(*) from session) as sessions`,
  );
  const register = (fields: object) =>
    client.members.registerByInvitation({ token, username: "new", password, ...fields });
  await refusedBecause("INVALID_FIELD", register({ password: "short" }));
  await refusedBecause("INVALID_FIELD", register({ username: "no spaces" }));
  await refusedBecause("INVALID_FIELD", register({ email: "nobody" }));
  assert.is((await refusedBecause("USERNAME_TAKEN", register({ username: "BOB" }))).field, "username");
  assert.is((await refusedBecause("USERNAME_TAKEN", register({ email: "EVE@h.example" }))).field, "email");
  await refusedBecause("INVITATION_NOT_FOUND", register({ token: `${token}x` }));
  await refusedBecause("INVITATION_NOT_FOUND", register({ token: "" }));
  assert.equal(
    await inDatabase(`select (select count(*) from "user") as users, (select count(*) from session) as sessions`),
    before,
  );
  assert.ok((await register({})).sessionToken);
});

test("of many who register or accept by one link simultaneously, one wins, and nothing is left of the others", async () => {
  const projectId = await newProject();
  const token = await invite(projectId, Role.MAINTAINER);
  const names = Array.from({ length: 6 }, (_, n) => `racer-${n}`);
  const done = await Promise.allSettled([
    ...names.map((username) => client.members.registerByInvitation({ token, username, password })),
    client.members.acceptInvitation({ token }, bob.auth),
    client.members.acceptInvitation({ token }, ann.auth),
  ]);
  assert.is(done.filter(({ status }) => status === "fulfilled").length, 1);
  for (const one of done) {
    if (one.status === "rejected") await refusedBecause("INVITATION_NOT_FOUND", Promise.reject(one.reason as Error));
  }
  const { members } = await client.members.listMembers({ projectId }, client.auth);
  assert.is(members.length, 2);
  const winner = members.find(({ user }) => user?.username !== "root")?.user?.username ?? "";
  const { users } = await client.users.listUsers({ query: "racer-" }, client.auth);
  assert.equal(
    users.map(({ username }) => username),
    winner.startsWith("racer-") ? [winner] : [],
  );
});

test("a link ends when its maker may no longer give what it promises, and is listed no longer", async () => {
  const changes: [change: string, how: (projectId: number, maker: Person) => Promise<unknown>][] = [
    ["removed", (projectId, { userId }) => client.members.removeMember({ projectId, userId }, client.auth)],
    [
      "lowered",
      (projectId, { userId }) => client.members.updateMember({ projectId, userId, role: Role.DEVELOPER }, client.auth),
    ],
    ["blocked", (_, { userId }) => client.users.updateUser({ userId, isBlocked: true }, client.auth)],
    ["deleted", (_, { userId }) => client.users.deleteUser({ userId }, client.auth)],
  ];
  for (const [change, how] of changes) {
    const maker = await makePerson(client, `maker-${change}`);
    const projectId = await newProject([maker, Role.MAINTAINER]);
    const token = await invite(projectId, Role.GUEST, maker.auth);
    assert.is((await client.members.listInvitations({ projectId }, client.auth)).invitations.length, 1);
    await how(projectId, maker);
    await refusedLink(token);
    assert.equal((await client.members.listInvitations({ projectId }, client.auth)).invitations, [], change);
  }
});

test("when an owner becomes a maintainer, their links to ownership end and the others work", async () => {
  const projectId = await newProject([ann, Role.OWNER]);
  const [toOwner, toGuest] = [
    await invite(projectId, Role.OWNER, ann.auth),
    await invite(projectId, Role.GUEST, ann.auth),
  ];
  await client.members.updateMember({ projectId, userId: ann.userId, role: Role.MAINTAINER }, client.auth);
  await refusedLink(toOwner);
  assert.is((await client.members.acceptInvitation({ token: toGuest }, bob.auth)).member?.role, Role.GUEST);
});

test("a link that was taken back does not work, and only its own project can take it back", async () => {
  const [projectId, other] = [await newProject(), await newProject()];
  const { invitation, url } = await client.members.createInvitation({ projectId, role: Role.GUEST }, client.auth);
  const invitationId = invitation?.invitationId ?? 0;
  const revoke = (id: number) => client.members.revokeInvitation({ projectId: id, invitationId }, client.auth);
  await refusedBecause("INVITATION_NOT_FOUND", revoke(other));
  assert.is((await revoke(projectId)).invitation?.invitationId, invitationId);
  await refusedBecause("INVITATION_NOT_FOUND", revoke(projectId));
  await refusedLink(tokenOf(url));
});

test("a personal access token accepts no invitation: only a signed-in user joins", async () => {
  const token = await invite(await newProject(), Role.GUEST);
  const made = await client.accounts.createAccessToken({ name: "bob", scopes: ["api"] }, bob.auth);
  await refusedBecause("FORBIDDEN", client.members.acceptInvitation({ token }, { token: made.token }));
  await refusedBecause("TOKEN_REQUIRED", client.members.acceptInvitation({ token }));
});

test("a project has at most 100 open invitations, listed newest first, even if many are made simultaneously", async () => {
  const projectId = await newProject();
  const make = (n: number) =>
    client.members.createInvitation({ projectId, role: Role.GUEST, note: `${n}` }, client.auth).then(
      () => "made",
      (error: { reason: number }) => error.reason,
    );
  const answers = await Promise.all(Array.from({ length: 104 }, (_, n) => make(n)));
  assert.is(answers.filter((answer) => answer === "made").length, 100);
  await refusedBecause("LIMIT_REACHED", client.members.createInvitation({ projectId, role: Role.GUEST }, client.auth));
  const { invitations } = await client.members.listInvitations({ projectId }, client.auth);
  const ids = invitations.map(({ invitationId }) => invitationId);
  assert.is(ids.length, 100);
  assert.equal(
    ids,
    ids.toSorted((a, b) => b - a),
  );
});

test("the link to a project that was deleted is refused, and works again once it is restored", async () => {
  const projectId = await newProject();
  const token = await invite(projectId, Role.GUEST);
  await client.projects.deleteProject({ projectId }, client.auth);
  await refusedLink(token);
  await client.projects.restoreProject({ projectId }, client.auth);
  assert.ok((await client.members.acceptInvitation({ token }, bob.auth)).member);
});

test("a link works for seven days and no longer, and what has expired is deleted", async () => {
  const projectId = await newProject();
  const [early, late] = [await invite(projectId, Role.GUEST), await invite(projectId, Role.GUEST)];
  clock.at += 7 * dayMs - 1;
  assert.ok((await client.members.registerByInvitation({ token: early, username: "early", password })).sessionToken);
  clock.at += 1;
  await refusedBecause("INVITATION_NOT_FOUND", client.members.getInvitation({ token: late }));
  const register = client.members.registerByInvitation({ token: late, username: "late", password });
  await refusedBecause("INVITATION_NOT_FOUND", register);
  assert.equal((await client.members.listInvitations({ projectId }, client.auth)).invitations, []);
  assert.ok((await inDatabase("select 1 from invitation")).length > 0);
  await restart(); // runs the jobs
  await restart(); // waits for them
  assert.equal(await inDatabase("select 1 from invitation"), []);
});

test.run();
