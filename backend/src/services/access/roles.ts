import type { LeastRole } from "@faultline/plugin";
import { Permission, Role } from "@faultline/proto";

/** The least role that has a permission, and a description of the permission that completes "You need ... to". */
interface PermissionRow {
  readonly least: Role;
  readonly toDo: string;
}

/** The single table of the rights of roles in their project (specification section 5). */
const permissionRows: Readonly<Partial<Record<Permission, PermissionRow>>> = {
  [Permission.READ_PROJECT]: { least: Role.GUEST, toDo: "see the project" },
  [Permission.READ_MEMBERS]: { least: Role.GUEST, toDo: "see its members" },
  [Permission.READ_ERROR_TRACKING]: { least: Role.REPORTER, toDo: "read errors" },
  [Permission.UPDATE_ERROR_TRACKING]: { least: Role.DEVELOPER, toDo: "change the status of errors" },
  [Permission.REPORT_EVENTS]: { least: Role.DEVELOPER, toDo: "report events" },
  [Permission.UPLOAD_SOURCE_MAPS]: { least: Role.DEVELOPER, toDo: "upload or delete source maps" },
  [Permission.ADMIN_ERROR_TRACKING]: {
    least: Role.MAINTAINER,
    toDo: "delete errors, or to see or change error-tracking settings and client keys",
  },
  [Permission.ADMIN_PROJECT]: { least: Role.MAINTAINER, toDo: "change the project" },
  [Permission.ADMIN_MEMBERS]: { least: Role.MAINTAINER, toDo: "invite, change or remove members" },
  [Permission.REMOVE_PROJECT]: { least: Role.OWNER, toDo: "delete the project" },
};

/** All permissions, in the order of the table. */
export const allPermissions: readonly Permission[] = Object.values(Permission).filter(
  (one) => one !== Permission.UNSPECIFIED,
);

export type RoleName = Exclude<LeastRole["role"], "User" | "Administrator">;

/** The roles a member can have, the least first, with their names. */
export const roleNames: ReadonlyMap<Role, RoleName> = new Map([
  [Role.GUEST, "Guest"],
  [Role.REPORTER, "Reporter"],
  [Role.DEVELOPER, "Developer"],
  [Role.MAINTAINER, "Maintainer"],
  [Role.OWNER, "Owner"],
] as const);

/** The permissions of a role and of a custom role based on it. */
export function permissionsOf(role: Role, added: readonly Permission[] = []): ReadonlySet<Permission> {
  return new Set(allPermissions.filter((one) => role >= rowOf(one).least || added.includes(one)));
}

/** The name of the least role that has a permission. */
export function leastRoleWith(permission: Permission): RoleName {
  const name = roleNames.get(rowOf(permission).least);
  if (name === undefined) throw new Error(`The least role of permission ${permission} has no name.`);
  return name;
}

/** A sentence that says which role is needed. */
export function needsRole(permission: Permission, projectPath: string): string {
  const { toDo } = rowOf(permission);
  return `You need at least the ${leastRoleWith(permission)} role in ${projectPath} to ${toDo}.`;
}

function rowOf(permission: Permission): PermissionRow {
  const row = permissionRows[permission];
  if (!row) throw new Error(`permission ${permission} has no row`);
  return row;
}
