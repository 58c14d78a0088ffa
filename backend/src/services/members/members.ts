import { ServiceError, type Clock, type Handlers } from "@faultline/plugin";
import { ErrorReason, Role, type MemberService } from "@faultline/proto";
import type { EntityManager, MikroORM } from "@mikro-orm/sql";
import type { AccessMemory } from "../access/access-memory.ts";
import type { CoreCall } from "../access/guard.ts";
import { MemberEntity, type MemberRow, memberToProto } from "./member.ts";
import { UserEntity, type UserRow } from "../users/user.ts";
import { askedRole, checkMayGive, givenRole, mayGive, nameOf, type GivenRole } from "./given-role.ts";
import type { Grant } from "../access/grants.ts";

type MemberMethods = "getMember" | "addMember" | "updateMember" | "removeMember";

/** The members of a project and their roles. */
export function members(parts: {
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

/** Refuses with FORBIDDEN to take a role that allows more than the caller's own. */
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

/** Refuses with LAST_OWNER to take the role from the last owner who can act as one. */
async function checkOwnerRemains(em: EntityManager, { projectId, userId, role }: MemberRow): Promise<void> {
  if (role !== Role.OWNER) return;
  const others = em
    .createQueryBuilder(MemberEntity)
    .select("userId")
    .where({ projectId, role: Role.OWNER, userId: { $ne: userId } });
  if ((await em.count(UserEntity, { isBlocked: false, id: { $in: others.toRaw() } })) > 0) return;
  throw new ServiceError(ErrorReason.LAST_OWNER, "A project needs at least one owner.");
}
