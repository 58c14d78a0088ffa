import { type Clock, type Handlers, pageSizeOf, pageToken, readPageToken, ServiceError } from "@faultline/plugin";
import { type MemberService, ErrorReason, Role } from "@faultline/proto";
import type { MikroORM, EntityManager } from "@mikro-orm/sql";
import { contains } from "../../storage/database/conditions.ts";
import type { KeyRing } from "../../storage/secrets/key-ring.ts";
import type { AccessMemory } from "../access/access-memory.ts";
import type { Grant } from "../access/grants.ts";
import type { CoreCall } from "../access/guard.ts";
import { beginSession } from "../access/sessions.ts";
import { invitationPurpose } from "../access/tokens.ts";
import { setPassword } from "../tables/identity.ts";
import { hashPassword, newPassword } from "../identity/password.ts";
import type { Delegated } from "../instance/delegation.ts";
import { displayName, emailAddress, refuseTaken, username } from "../identity/user-fields.ts";
import { UserEntity, type UserRow, userToProto } from "../tables/user.ts";
import { givenRole, allowsAll, type GivenRole, askedRole, checkMayGive, mayGive, nameOf } from "./given-role.ts";
import {
  InvitationEntity,
  invitationToProto,
  invitations,
  openInvitations,
  invitationNotFound,
  type OpenInvitation,
} from "./invitations.ts";
import { MemberEntity, memberToProto, type MemberRow } from "../tables/member.ts";

/** Members of projects, and the invitations by which people join. */
export function memberService(parts: {
  orm: MikroORM;
  keyRing: KeyRing;
  clock: Clock;
  memory: AccessMemory;
  baseUrl: () => string;
  delegated: Delegated;
}): Handlers<typeof MemberService, CoreCall> {
  return { listMembers: listMembers(parts), ...members(parts), ...invitations(parts), ...joining(parts) };
}

/** A page of the members of a project, by user name. */
function listMembers({ orm }: { orm: MikroORM }): Handlers<typeof MemberService, CoreCall>["listMembers"] {
  return async (request, { caller }) => {
    const { projectId } = request;
    const query = request.query.trim();
    const list = `members ${projectId} ${query}`;
    const place = readPageToken(list, request.pageToken, ["string"]);
    const size = pageSizeOf(request);
    const em = orm.em.fork();
    const ids = em.createQueryBuilder(MemberEntity).select("userId").where({ projectId });
    const where = {
      id: { $in: ids.toRaw() },
      ...(query !== "" && { $or: [{ username: contains(em, query) }, { name: contains(em, query) }] }),
    };
    const users = await em.find(
      UserEntity,
      { ...where, ...(place && { username: { $gt: place[0] } }) },
      { orderBy: { username: "asc" }, limit: size + 1, offset: place ? 0 : request.skip },
    );
    const page = users.slice(0, size);
    const rows = await em.find(MemberEntity, { projectId, userId: { $in: page.map(({ id }) => id) } });
    const rowOf = new Map(rows.map((row) => [row.userId, row]));
    const listed = [];
    for (const user of page) {
      const row = rowOf.get(user.id);
      if (row) listed.push(memberToProto(row, user, (await givenRole(em, row)).memberRole, caller.user));
    }
    const last = page.at(-1);
    return {
      members: listed,
      nextPageToken: users.length > size && last ? pageToken(list, [last.username]) : "",
      totalSize: await em.count(UserEntity, where),
    };
  };
}

type JoiningMethods = "getInvitation" | "acceptInvitation" | "registerByInvitation";

/** The methods by which a person accepts an invitation link. */
function joining(parts: {
  orm: MikroORM;
  keyRing: KeyRing;
  clock: Clock;
  memory: AccessMemory;
  delegated: Delegated;
}): Pick<Handlers<typeof MemberService, CoreCall>, JoiningMethods> {
  const { orm, keyRing, clock, memory, delegated } = parts;

  const invitationOf = async (em: EntityManager, token: string): Promise<OpenInvitation> => {
    const tokenDigest = keyRing.digest(invitationPurpose, token.slice(0, 1024));
    const [open] = await openInvitations(em, { tokenDigest }, { now: clock.now(), delegated });
    if (!open) throw invitationNotFound("This invitation was used or revoked, or has expired. Ask for a new one.");
    return open;
  };

  /**
   * Accepts the invitation, which can be used once. A person who is already a member keeps the role that allows more.
   */
  const join = async (em: EntityManager, { row, given, project }: OpenInvitation, user: UserRow) => {
    await em.nativeDelete(InvitationEntity, { id: row.id });
    const [projectId, userId] = [project.id, user.id];
    const role = { role: given.role, memberRoleId: given.memberRole?.id ?? null };
    let member: MemberRow | null = await em.findOne(MemberEntity, { projectId, userId });
    if (!member) member = em.create(MemberEntity, { projectId, userId, ...role, createdAt: clock.now() });
    else if (allowsMore(given, await givenRole(em, member))) Object.assign(member, role);
    await em.flush();
    return memberToProto(member, user, (await givenRole(em, member)).memberRole, user);
  };

  return {
    async getInvitation({ token }) {
      const { row, maker, given, project } = await invitationOf(orm.em.fork(), token);
      const invitation = invitationToProto({ ...row, note: "" }, maker, given.memberRole);
      return { invitation, projectPath: project.path };
    },

    async acceptInvitation({ token }, { caller }) {
      const accepted = await orm.em.fork().transactional(async (em) => {
        const open = await invitationOf(em, token);
        return { member: await join(em, open, caller.user), projectPath: open.project.path };
      });
      memory.changed();
      return accepted;
    },

    async registerByInvitation(request) {
      const { row } = await invitationOf(orm.em.fork(), request.token); // before the cost of hashing
      const fields = {
        username: username(request.username),
        name: displayName(request.name || request.username),
        email: emailAddress(request.email),
      };
      const verifier = await hashPassword(newPassword(request.password), { known: `invitation ${row.id}` });
      const now = clock.now();
      const registered = await orm.em
        .fork()
        .transactional(async (em) => {
          const open = await invitationOf(em, request.token);
          const user = em.create(UserEntity, { ...fields, isAdmin: false, createdAt: now, lastSignInAt: now });
          await em.flush();
          const identity = { userId: user.id, verifier };
          await setPassword(em, { ...identity, now });
          await join(em, open, user);
          const { clientAddress, userAgent } = request;
          const session = await beginSession(em, { keyRing, now, identity, clientAddress, userAgent });
          return { ...session, user: userToProto(user, user), projectPath: open.project.path };
        })
        .catch(refuseTaken);
      memory.changed();
      return registered;
    },
  };
}

/** Whether a role allows everything that another role does, and more. */
function allowsMore(given: GivenRole, present: GivenRole): boolean {
  const isMore = given.permissions.size > present.permissions.size || given.role > present.role;
  return isMore && allowsAll(given, present);
}

type MemberMethods = "getMember" | "addMember" | "updateMember" | "removeMember";

function members(parts: {
  orm: MikroORM;
  clock: Clock;
  memory: AccessMemory;
}): Pick<Handlers<typeof MemberService, CoreCall>, MemberMethods> {
  const { orm, clock, memory } = parts;

  return {
    async getMember(request, { caller }) {
      const em = orm.em.fork();
      const row = await memberRow(em, request);
      const user = await em.findOneOrFail(UserEntity, { id: row.userId });
      return { member: memberToProto(row, user, (await givenRole(em, row)).memberRole, caller.user) };
    },

    async addMember(request, { caller, grant }) {
      const { projectId, userId } = request;
      const member = await orm.em.fork().transactional(async (em) => {
        const given = await askedRole(em, request);
        checkMayGive(grant, given);
        const user = await em.findOne(UserEntity, { id: userId, ...(!caller.user.isAdmin && { isBlocked: false }) });
        if (!user)
          throw new ServiceError(ErrorReason.USER_NOT_FOUND, "This user does not exist.", { field: "user_id" });
        if (await em.findOne(MemberEntity, { projectId, userId })) {
          throw new ServiceError(
            ErrorReason.MEMBER_EXISTS,
            `${user.username} is already a member of ${grant.project.path}. Change the role instead.`,
          );
        }
        const row = em.create(MemberEntity, {
          projectId,
          userId,
          role: given.role,
          memberRoleId: given.memberRole?.id ?? null,
          createdAt: clock.now(),
        });
        await em.flush();
        return memberToProto(row, user, given.memberRole, caller.user);
      });
      memory.changed();
      return { member };
    },

    async updateMember(request, { caller, grant }) {
      const member = await orm.em.fork().transactional(async (em) => {
        const row = await memberRow(em, request);
        const user = await em.findOneOrFail(UserEntity, { id: row.userId });
        const present = await givenRole(em, row);
        const given = await askedRole(em, request);
        checkMayTake(grant, { user, present, consequence: "you cannot change it" });
        checkMayGive(grant, given);
        if (given.role !== Role.OWNER) await checkOwnerRemains(em, row);
        row.role = given.role;
        row.memberRoleId = given.memberRole?.id ?? null;
        await em.flush();
        return memberToProto(row, user, given.memberRole, caller.user);
      });
      memory.changed();
      return { member };
    },

    async removeMember(request, { caller, grant }) {
      const member = await orm.em.fork().transactional(async (em) => {
        const row = await memberRow(em, request);
        const user = await em.findOneOrFail(UserEntity, { id: row.userId });
        const present = await givenRole(em, row);
        const isLeaving = row.userId === caller.user.id;
        if (!isLeaving) checkMayTake(grant, { user, present, consequence: "you cannot remove this member" });
        await checkOwnerRemains(em, row);
        const removed = memberToProto(row, user, present.memberRole, caller.user);
        await em.remove(row).flush();
        return removed;
      });
      memory.changed();
      return { member };
    },
  };
}

async function memberRow(
  em: EntityManager,
  { projectId, userId }: { readonly projectId: number; readonly userId: number },
): Promise<MemberRow> {
  const row = await em.findOne(MemberEntity, { projectId, userId });
  if (!row) throw new ServiceError(ErrorReason.MEMBER_NOT_FOUND, "This project has no such member.");
  return row;
}

/** Refuses with FORBIDDEN to take a role that allows more than the caller's role. */
function checkMayTake(
  grant: Grant,
  { user, present, consequence }: { user: UserRow; present: GivenRole; consequence: string },
): void {
  if (mayGive(grant, present)) return;
  throw new ServiceError(
    ErrorReason.FORBIDDEN,
    `The role of ${user.username}, ${nameOf(present)}, allows more than yours in ${grant.project.path}, so ${consequence}.`,
  );
}

/** Refuses with LAST_OWNER to take the role from the last owner who can act as an owner. */
async function checkOwnerRemains(em: EntityManager, { projectId, userId, role }: MemberRow): Promise<void> {
  if (role !== Role.OWNER) return;
  const others = em
    .createQueryBuilder(MemberEntity)
    .select("userId")
    .where({ projectId, role: Role.OWNER, userId: { $ne: userId } });
  if ((await em.count(UserEntity, { isBlocked: false, id: { $in: others.toRaw() } })) > 0) return;
  throw new ServiceError(ErrorReason.LAST_OWNER, "A project needs at least one owner.");
}
