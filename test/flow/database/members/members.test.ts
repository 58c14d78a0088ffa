import { Permission, Role } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { runningServer } from "../../../support/service/flow.ts";
import { refusedBecause } from "../../../support/assert/refused-because.ts";
import { makePerson, makeProject, type Person } from "./people.ts";

const { client } = await runningServer();
const { members } = client;
const [ann, bob, cid, dan] = [
  await makePerson(client, "ann"),
  await makePerson(client, "Bob"),
  await makePerson(client, "cid"),
  await makePerson(client, "dan"),
];
const root = (await client.accounts.getCurrentUser({}, client.auth)).user?.userId ?? 0;

/** The members and their roles in a caller's list. */
async function listed(projectId: number, auth = client.auth): Promise<string[]> {
  const { members: list } = await members.listMembers({ projectId }, auth);
  return list.map(({ user, role }) => `${user?.username} ${role}`);
}

const read = (projectId: number, { auth }: Person) =>
  client.projects.getProject({ key: { case: "projectId", value: projectId } }, auth);

test("people who make a project own it, and a user whom an owner adds is a member from then on", async () => {
  const { project } = await client.projects.createProject({ path: "added" }, ann.auth);
  const projectId = project?.projectId ?? 0;
  await refusedBecause("PROJECT_NOT_FOUND", read(projectId, bob));
  const { member } = await members.addMember({ projectId, userId: bob.userId, role: Role.REPORTER }, ann.auth);
  assert.is(member?.user?.username, "Bob");
  assert.is(member?.role, Role.REPORTER);
  assert.ok(member?.createdTime);
  assert.is((await read(projectId, bob)).project?.role, Role.REPORTER);
  assert.equal(await listed(projectId, bob.auth), ["ann 50", "Bob 20"]);
  assert.is((await members.getMember({ projectId, userId: ann.userId }, bob.auth)).member?.role, Role.OWNER);
});

test("members are listed by user name in pages, and found by a part of it, signs of a pattern included", async () => {
  const odd = await makePerson(client, "e_e");
  const projectId = await makeProject(client, "listed", [
    [dan, Role.GUEST],
    [cid, Role.GUEST],
    [odd, Role.GUEST],
    [bob, Role.GUEST],
    [ann, Role.GUEST],
  ]);
  const names: string[] = [];
  let pageToken = "";
  do {
    const page = await members.listMembers({ projectId, pageSize: 2, pageToken }, ann.auth);
    names.push(...page.members.map(({ user }) => user?.username ?? ""));
    assert.is(page.totalSize, 6);
    pageToken = page.nextPageToken;
  } while (pageToken !== "");
  assert.equal(names, ["ann", "Bob", "cid", "dan", "e_e", "root"]);
  const found = async (query: string) => {
    const { members: list, totalSize } = await members.listMembers({ projectId, query }, ann.auth);
    assert.is(totalSize, list.length);
    return list.map(({ user }) => user?.username);
  };
  assert.equal(await found("BO"), ["Bob"]);
  assert.equal(await found("_"), ["e_e"]);
  assert.equal(await found("%"), []);
  const skipped = await members.listMembers({ projectId, skip: 4 }, ann.auth);
  assert.equal(
    skipped.members.map(({ user }) => user?.username),
    ["e_e", "root"],
  );
});

test("members do not see each other's e-mail addresses, an administrator does", async () => {
  const username = "mail";
  const { user } = await client.users.createUser({ username, email: "mail@h.example" }, client.auth);
  const projectId = await makeProject(client, "mails", [[ann, Role.MAINTAINER]]);
  const userId = user?.userId ?? 0;
  await members.addMember({ projectId, userId, role: Role.GUEST }, client.auth);
  const mailFor = async (auth: { token: string }) =>
    (await members.getMember({ projectId, userId }, auth)).member?.user?.email;
  assert.is(await mailFor(ann.auth), "");
  assert.is(await mailFor(client.auth), "mail@h.example");
});

test("an administrator who is not a member is not listed, and may do everything", async () => {
  const { project } = await client.projects.createProject({ path: "of-ann" }, ann.auth);
  const projectId = project?.projectId ?? 0;
  await members.addMember({ projectId, userId: bob.userId, role: Role.OWNER }, client.auth);
  assert.equal(await listed(projectId), ["ann 50", "Bob 50"]);
  await refusedBecause("MEMBER_NOT_FOUND", members.getMember({ projectId, userId: root }, client.auth));
});

const roles = [Role.GUEST, Role.REPORTER, Role.DEVELOPER, Role.MAINTAINER, Role.OWNER];

test("a maintainer gives, changes and takes roles up to Maintainer, an owner all, the others none", async () => {
  for (const own of roles) {
    for (const other of roles) {
      const isAllowed = own === Role.OWNER || (own === Role.MAINTAINER && other !== Role.OWNER);
      const projectId = await makeProject(client, `ranks/${own}/${other}`, [
        [ann, own],
        [bob, other],
        [cid, Role.GUEST],
      ]);
      const calls = [
        () => members.addMember({ projectId, userId: dan.userId, role: other }, ann.auth),
        () => members.updateMember({ projectId, userId: cid.userId, role: other }, ann.auth),
        () => members.createInvitation({ projectId, role: other }, ann.auth),
        () => members.updateMember({ projectId, userId: bob.userId, role: Role.GUEST }, ann.auth),
        () => members.removeMember({ projectId, userId: bob.userId }, ann.auth),
      ];
      // The last two meet a Bob whom an allowed ann has lowered; who may not, meets him as he was.
      const before = await listed(projectId);
      for (const call of calls) {
        if (isAllowed) await call();
        else assert.match((await refusedBecause("FORBIDDEN", call())).message, /role/i);
      }
      if (!isAllowed) assert.equal(await listed(projectId), before);
    }
  }
});

test("nobody raises their own role", async () => {
  const projectId = await makeProject(client, "self", [[ann, Role.MAINTAINER]]);
  const raise = members.updateMember({ projectId, userId: ann.userId, role: Role.OWNER }, ann.auth);
  await refusedBecause("FORBIDDEN", raise);
  assert.is((await read(projectId, ann)).project?.role, Role.MAINTAINER);
});

test("users who are missing, hidden, members already or given an unknown role are refused, each with its reason", async () => {
  const projectId = await makeProject(client, "refusals", [[ann, Role.OWNER]]);
  const add = (userId: number, role: Role, auth = ann.auth) => members.addMember({ projectId, userId, role }, auth);
  await refusedBecause("USER_NOT_FOUND", add(999_999, Role.GUEST));
  await refusedBecause("MEMBER_EXISTS", add(ann.userId, Role.GUEST));
  await refusedBecause("INVALID_FIELD", add(bob.userId, Role.UNSPECIFIED));
  await refusedBecause("INVALID_FIELD", add(bob.userId, 25 as Role));
  await refusedBecause("PROJECT_NOT_FOUND", add(bob.userId, Role.GUEST, bob.auth));
  const about = { projectId, userId: bob.userId };
  await refusedBecause("MEMBER_NOT_FOUND", members.getMember(about, ann.auth));
  await refusedBecause("MEMBER_NOT_FOUND", members.updateMember({ ...about, role: Role.GUEST }, ann.auth));
  await refusedBecause("MEMBER_NOT_FOUND", members.removeMember(about, ann.auth));
  const both = members.addMember({ ...about, role: Role.GUEST, memberRoleId: 7 }, ann.auth);
  await refusedBecause("MEMBER_ROLE_NOT_FOUND", both);
});

test("a user who is blocked cannot be added, except by an administrator, to whom alone the user is shown", async () => {
  const projectId = await makeProject(client, "blocked", [[ann, Role.OWNER]]);
  const { user } = await client.users.createUser({ username: "blocked" }, client.auth);
  const userId = user?.userId ?? 0;
  await client.users.updateUser({ userId, isBlocked: true }, client.auth);
  await refusedBecause("USER_NOT_FOUND", members.addMember({ projectId, userId, role: Role.GUEST }, ann.auth));
  await members.addMember({ projectId, userId, role: Role.GUEST }, client.auth);
  assert.ok((await listed(projectId)).includes("blocked 10"));
});

test("everybody may leave, even a guest, and loses access immediately", async () => {
  const projectId = await makeProject(client, "leaving", [[bob, Role.GUEST]]);
  const { member } = await members.removeMember({ projectId, userId: bob.userId }, bob.auth);
  assert.is(member?.user?.username, "Bob");
  await refusedBecause("PROJECT_NOT_FOUND", read(projectId, bob));
  await refusedBecause("PROJECT_NOT_FOUND", members.removeMember({ projectId, userId: bob.userId }, bob.auth));
});

test("the last owner can neither leave nor be lowered nor be removed, by nobody", async () => {
  const { project } = await client.projects.createProject({ path: "last" }, ann.auth);
  const projectId = project?.projectId ?? 0;
  const about = { projectId, userId: ann.userId };
  for (const auth of [ann.auth, client.auth]) {
    const refusal = await refusedBecause("LAST_OWNER", members.removeMember(about, auth));
    assert.is(refusal.message, "A project needs at least one owner.");
    await refusedBecause("LAST_OWNER", members.updateMember({ ...about, role: Role.MAINTAINER }, auth));
  }
  await members.updateMember({ ...about, role: Role.OWNER }, ann.auth); // changes nothing, and so may be asked
  await members.addMember({ projectId, userId: bob.userId, role: Role.OWNER }, ann.auth);
  await members.updateMember({ ...about, role: Role.MAINTAINER }, ann.auth);
  assert.equal(await listed(projectId), ["ann 40", "Bob 50"]);
});

test("an owner who is blocked does not count as one", async () => {
  const { user } = await client.users.createUser({ username: "gone-owner" }, client.auth);
  const userId = user?.userId ?? 0;
  const { project } = await client.projects.createProject({ path: "blocked-owner" }, ann.auth);
  const projectId = project?.projectId ?? 0;
  await members.addMember({ projectId, userId, role: Role.OWNER }, ann.auth);
  await client.users.updateUser({ userId, isBlocked: true }, client.auth);
  await refusedBecause("LAST_OWNER", members.removeMember({ projectId, userId: ann.userId }, ann.auth));
  await members.removeMember({ projectId, userId }, ann.auth);
});

test("of two owners who leave, lower or remove each other simultaneously, one stays", async () => {
  const ways = [members.removeMember, members.updateMember];
  const pairs = ways.flatMap((first) => ways.map((second) => [first, second] as const));
  for (const [round, [first, second]] of [...pairs, ...pairs, ...pairs].entries()) {
    const { project } = await client.projects.createProject({ path: `race/${round}` }, ann.auth);
    const projectId = project?.projectId ?? 0;
    await members.addMember({ projectId, userId: bob.userId, role: Role.OWNER }, ann.auth);
    const [one, other] = round % 2 === 0 ? [ann, bob] : [bob, ann]; // each about themselves, or about the other
    const done = await Promise.allSettled([
      first({ projectId, userId: one.userId, role: Role.GUEST }, ann.auth),
      second({ projectId, userId: other.userId, role: Role.GUEST }, bob.auth),
    ]);
    assert.is(done.filter(({ status }) => status === "fulfilled").length, 1, `round ${round}`);
    assert.is((await listed(projectId)).filter((line) => line.endsWith("50")).length, 1, `round ${round}`);
  }
});

test("a member who is lowered or removed mid-session has lost the right at the next call, by token and by session", async () => {
  const projectId = await makeProject(client, "mid-session", [[bob, Role.MAINTAINER]]);
  const { token } = await client.accounts.createAccessToken({ name: "bob", scopes: ["api"] }, bob.auth);
  const credentials = [bob.auth, { token }];
  const rename = (auth: { token: string }) => client.projects.updateProject({ projectId, name: "mine" }, auth);
  const about = { projectId, userId: bob.userId };
  for (let round = 0; round < 10; round += 1) {
    await members.updateMember({ ...about, role: Role.MAINTAINER }, client.auth);
    for (const auth of credentials) await rename(auth);
    await members.updateMember({ ...about, role: Role.DEVELOPER }, client.auth);
    for (const auth of credentials) await refusedBecause("FORBIDDEN", rename(auth));
  }
  await members.removeMember(about, client.auth);
  for (const auth of credentials) {
    await refusedBecause("PROJECT_NOT_FOUND", rename(auth));
    await refusedBecause("PROJECT_NOT_FOUND", client.errors.listErrors({ projectId }, auth));
    assert.not.ok((await client.projects.listProjects({ query: "mid-session" }, auth)).projects.length);
  }
});

test("a watching call ends soon after its caller stops being a member", async () => {
  const projectId = await makeProject(client, "watching", [[bob, Role.REPORTER]]);
  await client.settings.updateSettings({ projectId, active: true }, client.auth);
  const watch = async () => {
    for await (const _ of client.errors.watchErrors({ projectId }, bob.auth)); // -- nothing happens in the project
  };
  const watching = refusedBecause("PROJECT_NOT_FOUND", watch());
  await members.removeMember({ projectId, userId: bob.userId }, client.auth);
  await watching;
});

test("capabilities show a member what the role allows, and why not", async () => {
  const projectId = await makeProject(client, "capable", [[bob, Role.DEVELOPER]]);
  const { project } = await read(projectId, bob);
  assert.ok(project?.capabilities?.removeProject);
  assert.not.ok(project.capabilities.adminMembers?.allowed);
  assert.match(project.capabilities.adminMembers?.reason ?? "", /Maintainer role in capable/);
  const { memberRole } = await client.memberRoles.createMemberRole(
    { name: "Members", baseRole: Role.GUEST, permissions: [Permission.ADMIN_MEMBERS] },
    client.auth,
  );
  const memberRoleId = memberRole?.memberRoleId ?? 0;
  await members.updateMember({ projectId, userId: bob.userId, memberRoleId }, client.auth);
  assert.ok((await read(projectId, bob)).project?.capabilities?.adminMembers?.allowed);
});

test("the list of projects holds a user's own alone, with their total, page by page, and its search is literal", async () => {
  const eve = await makePerson(client, "eve");
  const paths = ["own/z", "own/a_b", "own/axb", "own/c", "own/d"];
  for (const path of paths) await makeProject(client, path, [[eve, Role.GUEST]]);
  await makeProject(client, "own/hidden");
  const seen: string[] = [];
  let pageToken = "";
  do {
    const page = await client.projects.listProjects({ pageSize: 2, pageToken }, eve.auth);
    assert.is(page.totalSize, 5);
    seen.push(...page.projects.map(({ path }) => path));
    pageToken = page.nextPageToken;
  } while (pageToken !== "");
  assert.equal(seen, paths.toSorted());
  assert.equal(await foundBy(eve, { skip: 3 }), seen.slice(3));
  assert.equal(await foundBy(eve, { query: "A_B" }), ["own/a_b"]);
  assert.equal(await foundBy(eve, { query: "_" }), ["own/a_b"]);
  assert.equal(await foundBy(eve, { query: "%" }), []);
  const { project } = await client.projects.getProject({ key: { case: "path", value: "own/z" } }, eve.auth);
  await client.projects.updateProject({ projectId: project?.projectId ?? 0, name: "100 % a\\b" }, client.auth);
  for (const query of ["0 % A", "\\"]) assert.equal(await foundBy(eve, { query }), ["own/z"]);
  assert.equal(await foundBy(eve, { query: "hidden" }), []);
  await refusedBecause("INVALID_FIELD", client.projects.listProjects({ query: "x".repeat(201) }, eve.auth));
});

async function foundBy({ auth }: Person, request: { query?: string; skip?: number }): Promise<string[]> {
  const { projects, totalSize } = await client.projects.listProjects(request, auth);
  if (request.query !== undefined) assert.is(totalSize, projects.length);
  return projects.map(({ path }) => path);
}

test.run();
