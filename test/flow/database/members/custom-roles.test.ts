import { Permission, Role, type MemberRole } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { sharedServer } from "../../../support/service/flow.ts";
import { refusedBecause } from "../../../support/assert/refused-because.ts";
import { makePerson, makeProject } from "./people.ts";

const { client } = await sharedServer();
const ann = await makePerson(client, "ann");
const bob = await makePerson(client, "bob");

async function makeRole(name: string, baseRole: Role, ...permissions: Permission[]): Promise<MemberRole> {
  const { memberRole } = await client.memberRoles.createMemberRole({ name, baseRole, permissions }, client.auth);
  return memberRole as MemberRole; // a created role is always answered
}

const remove = (memberRoleId: number) => client.memberRoles.deleteMemberRole({ memberRoleId }, client.auth);

test("a custom role is made, listed to everybody who is signed in, and deleted", async () => {
  const { memberRole } = await client.memberRoles.createMemberRole(
    {
      name: " Triager ",
      description: "Sorts errors",
      baseRole: Role.REPORTER,
      permissions: [Permission.READ_PROJECT, Permission.UPDATE_ERROR_TRACKING, Permission.UPDATE_ERROR_TRACKING],
    },
    client.auth,
  );
  assert.equal([memberRole?.name, memberRole?.description, memberRole?.baseRole], ["Triager", "Sorts errors", 20]);
  assert.equal(memberRole?.permissions, [Permission.UPDATE_ERROR_TRACKING], "only what the base role has not");
  const memberRoleId = memberRole?.memberRoleId ?? 0;
  const { memberRoles } = await client.memberRoles.listMemberRoles({}, bob.auth);
  assert.equal(
    memberRoles.filter((role) => role.memberRoleId === memberRoleId), // other files make some in the same service
    [memberRole],
  );
  assert.equal((await remove(memberRoleId)).memberRole, memberRole);
  await refusedBecause("MEMBER_ROLE_NOT_FOUND", remove(memberRoleId));
});

test("only administrators make and delete custom roles", async () => {
  const fields = { name: "x", baseRole: Role.GUEST, permissions: [Permission.REPORT_EVENTS] };
  await refusedBecause("FORBIDDEN", client.memberRoles.createMemberRole(fields, bob.auth));
  await refusedBecause("FORBIDDEN", client.memberRoles.deleteMemberRole({ memberRoleId: 1 }, bob.auth));
});

test("a custom role needs a unique name, a base role below Owner and a permission that the base role lacks", async () => {
  await makeRole("Taken", Role.GUEST, Permission.REPORT_EVENTS);
  const good = { name: "Good", baseRole: Role.GUEST, permissions: [Permission.REPORT_EVENTS] };
  const cases: [fault: object, field: string][] = [
    [{ name: "  " }, "name"],
    [{ name: "x".repeat(256) }, "name"],
    [{ name: "tAKEN" }, "name"],
    [{ description: "x".repeat(256) }, "description"],
    [{ baseRole: Role.UNSPECIFIED }, "base_role"],
    [{ baseRole: Role.OWNER }, "base_role"],
    [{ baseRole: 15 }, "base_role"],
    [{ permissions: [] }, "permissions"],
    [{ permissions: [Permission.READ_MEMBERS] }, "permissions"],
    [{ permissions: [Permission.UNSPECIFIED] }, "permissions"],
    [{ permissions: [Permission.REPORT_EVENTS, 99] }, "permissions"],
  ];
  for (const [fault, field] of cases) {
    const call = client.memberRoles.createMemberRole({ ...good, ...fault }, client.auth);
    assert.is((await refusedBecause("INVALID_FIELD", call)).field, field, JSON.stringify(fault));
  }
});

test("a custom role adds its permissions to the base role's, to no more, from the next call on", async () => {
  const projectId = await makeProject(client, "added", [[bob, Role.GUEST]]);
  const { memberRoleId } = await makeRole("Statuses", Role.REPORTER, Permission.UPDATE_ERROR_TRACKING);
  const rename = () => client.projects.updateProject({ projectId, name: "Mine" }, bob.auth);
  const read = () => client.errors.listErrors({ projectId }, bob.auth);
  const update = () => client.errors.updateErrors({ projectId, changes: [] }, bob.auth);
  await refusedBecause("FORBIDDEN", read());
  const about = { projectId, userId: bob.userId };
  const { member } = await client.members.updateMember({ ...about, memberRoleId }, client.auth);
  assert.equal([member?.role, member?.memberRole?.name], [Role.REPORTER, "Statuses"]);
  await refusedBecause("ERROR_TRACKING_DISABLED", read()); // let through, and refused by the project's state
  await refusedBecause("ERROR_TRACKING_DISABLED", update());
  await refusedBecause("FORBIDDEN", rename());
  const other = client.members.updateMember({ ...about, role: Role.GUEST, memberRoleId }, client.auth);
  assert.is((await refusedBecause("INVALID_FIELD", other)).field, "role");
  await client.members.updateMember({ ...about, role: Role.REPORTER }, client.auth);
  await refusedBecause("FORBIDDEN", update());
  assert.not.ok((await client.members.getMember(about, client.auth)).member?.memberRole);
});

test("nobody gives, changes or removes a custom role that allows what they may not do themselves", async () => {
  const { memberRoleId: deleter } = await makeRole("Deleter", Role.GUEST, Permission.REMOVE_PROJECT);
  const { memberRoleId: inviter } = await makeRole("Inviter", Role.GUEST, Permission.ADMIN_MEMBERS);
  const projectId = await makeProject(client, "escalation", [[ann, Role.MAINTAINER]]);
  const { members } = client;
  const about = { projectId, userId: bob.userId };

  await refusedBecause("FORBIDDEN", members.addMember({ ...about, memberRoleId: deleter }, ann.auth));
  await refusedBecause("FORBIDDEN", members.createInvitation({ projectId, memberRoleId: deleter }, ann.auth));
  await members.addMember({ ...about, memberRoleId: deleter }, client.auth);
  await refusedBecause("FORBIDDEN", members.updateMember({ ...about, role: Role.GUEST }, ann.auth));
  await refusedBecause("FORBIDDEN", members.removeMember(about, ann.auth));

  // People who may invite and do little else can only invite people who may do as little.
  await members.updateMember({ ...about, memberRoleId: inviter }, client.auth);
  const own = { projectId, userId: ann.userId };
  await members.updateMember({ ...own, role: Role.REPORTER }, client.auth);
  await refusedBecause("FORBIDDEN", members.removeMember(own, bob.auth));
  await refusedBecause("FORBIDDEN", members.updateMember({ ...about, role: Role.MAINTAINER }, bob.auth));
  await members.createInvitation({ projectId, role: Role.GUEST }, bob.auth);
  await members.createInvitation({ projectId, memberRoleId: inviter }, bob.auth);
  await refusedBecause("FORBIDDEN", members.createInvitation({ projectId, role: Role.REPORTER }, bob.auth));
});

test("a maintainer who may delete the project by a custom role deletes it, and yet makes and removes no owner", async () => {
  const { memberRoleId } = await makeRole("Nearly owner", Role.MAINTAINER, Permission.REMOVE_PROJECT);
  const projectId = await makeProject(client, "nearly", [
    [ann, Role.OWNER],
    [bob, Role.GUEST],
  ]);
  const about = { projectId, userId: bob.userId };
  await client.members.updateMember({ ...about, memberRoleId }, client.auth);
  await refusedBecause("FORBIDDEN", client.members.updateMember({ ...about, role: Role.OWNER }, bob.auth));
  await refusedBecause("FORBIDDEN", client.members.createInvitation({ projectId, role: Role.OWNER }, bob.auth));
  await refusedBecause("FORBIDDEN", client.members.removeMember({ projectId, userId: ann.userId }, bob.auth));
  assert.ok((await client.projects.deleteProject({ projectId }, bob.auth)).project?.removalTime);
});

test("a custom role that somebody has is not deleted, and the refusal counts them", async () => {
  const { memberRoleId } = await makeRole("Used", Role.GUEST, Permission.REPORT_EVENTS);
  const projectId = await makeProject(client, "used", [[ann, Role.MAINTAINER]]);
  await client.members.addMember({ projectId, userId: bob.userId, memberRoleId }, client.auth);
  await client.members.createInvitation({ projectId, memberRoleId }, ann.auth);
  const { invitation } = await client.members.createInvitation({ projectId, memberRoleId }, client.auth);
  const message = async () => (await refusedBecause("MEMBER_ROLE_IN_USE", remove(memberRoleId))).message;
  assert.match(await message(), /1 member and 2 open invitations/);
  await client.members.revokeInvitation({ projectId, invitationId: invitation?.invitationId ?? 0 }, client.auth);
  assert.match(await message(), /1 member and 1 open invitation have/);
  await client.members.removeMember({ projectId, userId: bob.userId }, client.auth);
  assert.match(await message(), /0 members and 1 open invitation have/);
  await client.members.removeMember({ projectId, userId: ann.userId }, client.auth); // and with her goes what she gave
  assert.is((await remove(memberRoleId)).memberRole?.name, "Used");
});

test("a role that is given and deleted simultaneously is either given or deleted", async () => {
  const projectId = await makeProject(client, "race");
  for (let round = 0; round < 10; round += 1) {
    const { memberRoleId } = await makeRole(`Race ${round}`, Role.GUEST, Permission.REPORT_EVENTS);
    const add = () => client.members.addMember({ projectId, userId: bob.userId, memberRoleId }, client.auth);
    const calls = round % 2 === 0 ? [add(), remove(memberRoleId)] : [remove(memberRoleId), add()];
    const done = await Promise.allSettled(calls);
    assert.is(done.filter(({ status }) => status === "fulfilled").length, 1, `round ${round}`);
    const { members } = await client.members.listMembers({ projectId, query: "bob" }, client.auth);
    for (const { memberRole } of members) {
      assert.is(memberRole?.memberRoleId, memberRoleId);
      await client.members.removeMember({ projectId, userId: bob.userId }, client.auth);
    }
  }
});

test("there are at most 100 custom roles, even if many are made simultaneously", async () => {
  const { memberRoles: before } = await client.memberRoles.listMemberRoles({}, client.auth);
  const calls = Array.from({ length: 104 - before.length }, (_, n) =>
    makeRole(`Many ${n}`, Role.GUEST, Permission.REPORT_EVENTS),
  );
  const refused = (await Promise.allSettled(calls)).filter(({ status }) => status === "rejected");
  assert.is(refused.length, 4);
  await refusedBecause("LIMIT_REACHED", makeRole("One more", Role.GUEST, Permission.REPORT_EVENTS));
  const { memberRoles } = await client.memberRoles.listMemberRoles({}, client.auth);
  const ids = memberRoles.map(({ memberRoleId }) => memberRoleId);
  assert.is(ids.length, 100);
  assert.equal(
    ids,
    ids.toSorted((a, b) => a - b),
  );
  for (const { memberRoleId, name } of memberRoles) {
    if (name.startsWith("Many ")) await client.memberRoles.deleteMemberRole({ memberRoleId }, client.auth);
  }
});

test.run();
