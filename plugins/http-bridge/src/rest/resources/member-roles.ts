import { create } from "@bufbuild/protobuf";
import {
  CreateMemberRoleRequestSchema,
  DeleteMemberRoleRequestSchema,
  ErrorReason,
  ListMemberRolesRequestSchema,
  Permission,
  type MemberRole,
} from "@faultline/proto";
import { accessLevelParam } from "../access-level.ts";
import { isoTime } from "../iso-time.ts";
import { booleanParam, required, requiredText, textParam } from "../params.ts";
import { idInPath } from "../path-parts.ts";
import type { Operation } from "../rest.ts";

/** What a custom role can add to its base role, as the booleans of the REST API; the rest every member may do. */
const addedPermissions = {
  read_error_tracking: Permission.READ_ERROR_TRACKING,
  update_error_tracking: Permission.UPDATE_ERROR_TRACKING,
  report_events: Permission.REPORT_EVENTS,
  admin_error_tracking: Permission.ADMIN_ERROR_TRACKING,
  admin_project: Permission.ADMIN_PROJECT,
  admin_project_members: Permission.ADMIN_MEMBERS,
  remove_project: Permission.REMOVE_PROJECT,
} as const;

export const listMemberRoles: Operation = async ({ visit, call }) => {
  const request = create(ListMemberRolesRequestSchema);
  const { memberRoles = [] } = await visit.host.core.memberRoles.listMemberRoles(request, call);
  return { status: 200, body: memberRoles.map((role) => memberRoleBody(role as MemberRole)) };
};

export const createMemberRole: Operation = async ({ visit, call, params }) => {
  const request = create(CreateMemberRoleRequestSchema, {
    name: requiredText(params, "name"),
    description: textParam(params, "description") ?? "",
    baseRole: required(accessLevelParam(params, "base_access_level"), "base_access_level"),
    permissions: Object.entries(addedPermissions).flatMap(([name, permission]) =>
      booleanParam(params, name) === true ? [permission] : [],
    ),
  });
  const { memberRole } = await visit.host.core.memberRoles.createMemberRole(request, call);
  return { status: 201, body: memberRoleBody(memberRole as MemberRole) };
};

export const deleteMemberRole: Operation = async (restCall) => {
  const { visit, call } = restCall;
  const memberRoleId = idInPath(restCall, "member_role_id", ErrorReason.MEMBER_ROLE_NOT_FOUND);
  const request = create(DeleteMemberRoleRequestSchema, { memberRoleId });
  await visit.host.core.memberRoles.deleteMemberRole(request, call);
  return { status: 204 };
};

/** Roles of the original may belong to a group; ours belong to the installation, so `group_id` is null. */
export function memberRoleBody(role: MemberRole): object {
  return {
    id: role.memberRoleId,
    group_id: null,
    name: role.name,
    description: role.description,
    base_access_level: role.baseRole,
    ...Object.fromEntries(
      Object.entries(addedPermissions).map(([name, permission]) => [name, role.permissions.includes(permission)]),
    ),
    created_at: isoTime(role.createdTime),
  };
}
