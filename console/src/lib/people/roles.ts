import type { Permission, Role, Member } from "../messages.ts";

/** The names of roles and permissions on the pages. The service decides what they allow. */

interface RoleWords {
  readonly role: Role;
  readonly name: string;
  /** The rights that it adds to the previous role. */
  readonly can: string;
}

/** The roles of members, in ascending order of rights. */
export const roles: readonly RoleWords[] = [
  { role: "ROLE_GUEST", name: "Guest", can: "Sees that the project exists and who its members are." },
  { role: "ROLE_REPORTER", name: "Reporter", can: "Reads errors, events, releases and refusals." },
  { role: "ROLE_DEVELOPER", name: "Developer", can: "Changes the status of errors." },
  { role: "ROLE_MAINTAINER", name: "Maintainer", can: "Changes settings, client keys, members and the project." },
  { role: "ROLE_OWNER", name: "Owner", can: "Deletes the project and adds owners." },
];

/** `Developer`. */
export const roleName = (role: Role) => roles.find((one) => one.role === role)?.name ?? "No role";

interface PermissionWords {
  readonly permission: Permission;
  readonly name: string;
  /** The lowest role with the permission. */
  readonly least: Role;
}

/** The permissions that a custom role can add to its base role; only owners delete projects. */
export const permissions: readonly PermissionWords[] = [
  { permission: "PERMISSION_READ_ERROR_TRACKING", name: "Read errors", least: "ROLE_REPORTER" },
  { permission: "PERMISSION_UPDATE_ERROR_TRACKING", name: "Change the status of errors", least: "ROLE_DEVELOPER" },
  { permission: "PERMISSION_REPORT_EVENTS", name: "Report events with a token", least: "ROLE_DEVELOPER" },
  {
    permission: "PERMISSION_ADMIN_ERROR_TRACKING",
    name: "Change error-tracking settings and client keys; delete errors",
    least: "ROLE_MAINTAINER",
  },
  {
    permission: "PERMISSION_ADMIN_PROJECT",
    name: "Change the project's name, path and features",
    least: "ROLE_MAINTAINER",
  },
  { permission: "PERMISSION_ADMIN_MEMBERS", name: "Invite, change and remove members", least: "ROLE_MAINTAINER" },
  { permission: "PERMISSION_REMOVE_PROJECT", name: "Delete the project", least: "ROLE_OWNER" },
  { permission: "PERMISSION_UPLOAD_SOURCE_MAPS", name: "Upload and delete source maps", least: "ROLE_DEVELOPER" },
];

/** `Read errors`. */
export const permissionName = (permission: Permission) =>
  permissions.find((one) => one.permission === permission)?.name ?? "Something this page does not know";

const rank = (role: Role) => roles.findIndex((one) => one.role === role);

/** Whether a role has at least the rights of another role. */
export const reaches = (role: Role, least: Role) => rank(role) >= rank(least);

/** A role of a member or an invitation: a standard role or a custom role. */
export type GivenRole = Pick<Member, "role" | "memberRole">;

/** The value of a role in a select: `ROLE_DEVELOPER`, or the id of a custom role. */
export const choiceOf = ({ role, memberRole }: GivenRole) => memberRole?.memberRoleId.toString() ?? role;

/** `Developer`, or the name of the custom role. */
export const givenName = ({ role, memberRole }: GivenRole) => memberRole?.name ?? roleName(role);

/** The role for a value of a select. The service refuses a request without a role. */
export function chosenRole(value: string): { role?: Role; memberRoleId?: number } {
  if (/^[1-9]\d{0,9}$/.test(value)) return { memberRoleId: Number(value) };
  const known = roles.find(({ role }) => role === value);
  return known === undefined ? {} : { role: known.role };
}
