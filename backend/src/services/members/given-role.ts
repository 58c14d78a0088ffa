import { invalidField, ServiceError } from "@faultline/plugin";
import { ErrorReason, Role, type Permission } from "@faultline/proto";
import type { EntityManager } from "@mikro-orm/sql";
import { type Grant } from "../access/grants.ts";
import { addedBy, MemberRoleEntity, type MemberRoleRow } from "../tables/member-role.ts";
import { permissionsOf, roleNames } from "../access/roles.ts";

/** A role that a member has or is to get. */
export interface GivenRole {
  /** The base role of a custom role. */
  readonly role: Role;
  readonly memberRole: MemberRoleRow | null;
  readonly permissions: ReadonlySet<Permission>;
}

/** The role in the row of a member or an invitation. */
export async function givenRole(
  em: EntityManager,
  row: { readonly role: Role; readonly memberRoleId?: number | null | undefined },
): Promise<GivenRole> {
  const memberRole = row.memberRoleId == null ? null : await em.findOne(MemberRoleEntity, { id: row.memberRoleId });
  return { role: row.role, memberRole, permissions: permissionsOf(row.role, addedBy(memberRole?.permissions)) };
}

/** The role that a request names. Refuses with MEMBER_ROLE_NOT_FOUND, and if it names none or two different roles. */
export async function askedRole(
  em: EntityManager,
  { role, memberRoleId }: { readonly role: Role; readonly memberRoleId: number },
): Promise<GivenRole> {
  if (memberRoleId === 0) {
    if (!roleNames.has(role)) {
      throw invalidField("role", `Choose a role: ${[...roleNames.values()].join(", ")}, or a custom role.`);
    }
    return givenRole(em, { role });
  }
  const memberRole = await em.findOne(MemberRoleEntity, { id: memberRoleId });
  if (!memberRole) throw memberRoleNotFound();
  if (role !== Role.UNSPECIFIED && role !== memberRole.baseRole) {
    const base = roleNames.get(memberRole.baseRole);
    throw invalidField("role", `The custom role ${memberRole.name} has the base role ${base}. Leave the role out.`);
  }
  return givenRole(em, { role: memberRole.baseRole, memberRoleId });
}

/**
 * Whether somebody may give or take a role: their role must allow everything that it allows. Only owners make owners.
 */
export function mayGive(own: Pick<Grant, "role" | "permissions">, given: GivenRole): boolean {
  return allowsAll(own, given) && (given.role !== Role.OWNER || own.role === Role.OWNER);
}

/** Whether a role allows everything that the other role does. */
export function allowsAll(one: Pick<GivenRole, "permissions">, other: Pick<GivenRole, "permissions">): boolean {
  return [...other.permissions].every((permission) => one.permissions.has(permission));
}

/** Refuses with FORBIDDEN to give a role that allows more than the giver's role. */
export function checkMayGive(grant: Grant, given: GivenRole): void {
  if (mayGive(grant, given)) return;
  throw new ServiceError(
    ErrorReason.FORBIDDEN,
    `The role ${nameOf(given)} allows more than yours in ${grant.project.path}, so you cannot give it.`,
  );
}

/** The display name of a role. */
export function nameOf({ role, memberRole }: GivenRole): string {
  return memberRole?.name ?? roleNames.get(role) ?? "";
}

export function memberRoleNotFound(): ServiceError {
  return new ServiceError(ErrorReason.MEMBER_ROLE_NOT_FOUND, "This custom role does not exist.");
}
