import type { Permission } from "@faultline/proto";
import type { EntityManager } from "@mikro-orm/sql";
import { addedBy, MemberRoleEntity } from "../tables/member-role.ts";
import { permissionsOf, roleNames } from "./roles.ts";
import { contains } from "../../storage/database/conditions.ts";
import { MemberEntity } from "../tables/member.ts";
import type { UserRow } from "../tables/user.ts";

/** A filter of projects. */
interface Wanted {
  /** A part of the path or the name; empty for any. */
  readonly text: string;
  /** Only projects in which the user has one of these roles; undefined for any role. */
  readonly roles?: Awaited<ReturnType<typeof rolesWith>> | undefined;
}

/** The condition that a user may see a project because they are a member or an administrator. */
export function visibleProjects(em: EntityManager, user: UserRow, { text, roles }: Wanted) {
  const own = em
    .createQueryBuilder(MemberEntity)
    .select("projectId")
    .where({ userId: user.id, ...roles });
  return {
    deletedAt: null,
    ...(!user.isAdmin && { id: { $in: own.toRaw() } }),
    ...(text !== "" && { $or: [{ path: contains(em, text) }, { name: contains(em, text) }] }),
  };
}

/** The condition that a member's role includes a permission, directly or through a custom role. */
export async function rolesWith(em: EntityManager, permission: Permission) {
  const roles = [...roleNames.keys()].filter((role) => permissionsOf(role).has(permission));
  const custom = await em.find(MemberRoleEntity, {});
  const adding = custom.filter(({ permissions }) => addedBy(permissions).includes(permission));
  return { $or: [{ role: { $in: roles } }, { memberRoleId: { $in: adding.map(({ id }) => id) } }] };
}
