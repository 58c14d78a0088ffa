import { pageSizeOf, pageToken, readPageToken, ServiceError, type Clock, type Handlers } from "@faultline/plugin";
import { ErrorReason, Role, type MemberService } from "@faultline/proto";
import type { EntityManager, MikroORM } from "@mikro-orm/sql";
import type { AccessMemory } from "../access/access-memory.ts";
import type { CoreCall } from "../access/guard.ts";
import { contains } from "../../storage/database/contains.ts";
import { UserEntity } from "../users/user.ts";
import { MemberEntity, memberToProto, type MemberRow } from "./member.ts";
import { askedRole, checkMayGive, givenRole, mayGive, nameOf } from "./given-role.ts";

type MemberMethods = "listMembers" | "getMember" | "addMember" | "updateMember" | "removeMember";

/** Who are members of a project, and what they may do. */
export function members(parts: {
  orm: MikroORM;
  clock: Clock;
  memory: AccessMemory;
}): Pick<Handlers<typeof MemberService, CoreCall>, MemberMethods> {
  const { orm, clock, memory } = parts;

  return {
    async listMembers(request, { caller }) {
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
    },

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
        if (!user) throw new ServiceError(ErrorReason.USER_NOT_FOUND, "There is no such user.", { field: "user_id" });
        if (await em.findOne(MemberEntity, { projectId, userId })) {
          throw new ServiceError(
            ErrorReason.MEMBER_EXISTS,
            `${user.username} is a member of ${grant.project.path} already. Change the role instead.`,
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
        if (!mayGive(grant, present)) {
          throw new ServiceError(
            ErrorReason.FORBIDDEN,
            `The role of ${user.username}, ${nameOf(present)}, allows more than yours in ${grant.project.path}, so you cannot change it.`,
          );
        }
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
        if (!isLeaving && !mayGive(grant, present)) {
          throw new ServiceError(
            ErrorReason.FORBIDDEN,
            `The role of ${user.username}, ${nameOf(present)}, allows more than yours in ${grant.project.path}, so you cannot remove this member.`,
          );
        }
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

/** Refuses with LAST_OWNER to take the role from an owner beside whom nobody can act as one. */
async function checkOwnerRemains(em: EntityManager, { projectId, userId, role }: MemberRow): Promise<void> {
  if (role !== Role.OWNER) return;
  const others = em
    .createQueryBuilder(MemberEntity)
    .select("userId")
    .where({ projectId, role: Role.OWNER, userId: { $ne: userId } });
  if ((await em.count(UserEntity, { isBlocked: false, id: { $in: others.toRaw() } })) > 0) return;
  throw new ServiceError(ErrorReason.LAST_OWNER, "A project needs at least one owner.");
}
