import type { ReadableProject, Reader, Readers } from "@faultline/plugin";
import { ServiceError } from "@faultline/plugin";
import { ErrorReason, Permission, Role } from "@faultline/proto";
import type { MikroORM } from "@mikro-orm/sql";
import { addedBy, MemberRoleEntity } from "../tables/member-role.ts";
import { MemberEntity } from "../tables/member.ts";
import { ProjectEntity } from "../tables/project.ts";
import { rolesWith } from "./visible-projects.ts";
import { UserEntity } from "../tables/user.ts";
import type { Grants } from "./grants.ts";
import { permissionsOf } from "./roles.ts";

const reading = Permission.READ_ERROR_TRACKING;

/** Tells plugins who may read the errors of each project. */
export function readersOf({ orm, grants }: { orm: MikroORM; grants: Grants }): Readers {
  /** The rights of a person in a project; undefined if they may not read its errors. */
  const readableProject = async (userId: number, projectId: number): Promise<ReadableProject | undefined> => {
    const grant = await grants.now(userId, projectId).catch(unlessHidden);
    if (!grant?.permissions.has(reading)) return undefined;
    return { projectId, path: grant.project.path, permissions: grant.permissions };
  };

  const readable: Readers["readable"] = async (userId, projectIds) => {
    const found = await Promise.all(projectIds.map((projectId) => readableProject(userId, projectId)));
    return found.filter((one) => one !== undefined);
  };

  return {
    async of(projectId, others = []) {
      const em = orm.em.fork();
      const project = await em.findOne(ProjectEntity, { id: projectId, deletedAt: null });
      if (!project) return [];
      const members = await em.find(MemberEntity, { projectId, ...(await rolesWith(em, reading)) });
      const custom = new Map((await em.find(MemberRoleEntity, {})).map((role) => [role.id, role.permissions]));
      const ids = members.map(({ userId }) => userId);
      const users = await em.find(UserEntity, {
        isBlocked: false,
        $or: [{ id: { $in: ids } }, { id: { $in: [...others] }, isAdmin: true }],
      });
      const memberOf = new Map(members.map((member) => [member.userId, member]));
      return users.map(({ id: userId, username, isAdmin }): Reader => {
        const member = memberOf.get(userId);
        const role = isAdmin ? Role.OWNER : (member?.role ?? Role.UNSPECIFIED);
        const added = addedBy(custom.get(member?.memberRoleId ?? 0));
        return { userId, username, permissions: permissionsOf(role, added) };
      });
    },
    readable,
    async memberships(userId) {
      const em = orm.em.fork();
      const members = await em.find(MemberEntity, { userId, ...(await rolesWith(em, reading)) });
      const projects = await readable(
        userId,
        members.map(({ projectId }) => projectId),
      );
      return projects.toSorted((one, other) => (one.path < other.path ? -1 : 1));
    },
  };
}

function unlessHidden(refusal: unknown): undefined {
  if (!(refusal instanceof ServiceError && refusal.reason === ErrorReason.PROJECT_NOT_FOUND)) throw refusal;
}
