import {
  bodyOf,
  filledText,
  flag,
  flagParam,
  idInPath,
  noContent,
  operation,
  orEmpty,
  present,
  required,
  single,
  textParam,
  whole,
} from "@faultline/plugin/rest";
import { ErrorReason, MemberRoleSchema, MemberRoleService, Permission, type MemberRole } from "@faultline/proto";
import { baseAccessLevel, roleParam } from "./access-level.ts";

const tag = "Custom roles";
const { method } = MemberRoleService;

/** The permissions that a custom role can add to its base role; every member has the others. */
const added = {
  read_error_tracking: [Permission.READ_ERROR_TRACKING, "Adds: read errors."],
  update_error_tracking: [Permission.UPDATE_ERROR_TRACKING, "Adds: change the status of errors."],
  report_events: [Permission.REPORT_EVENTS, "Adds: report events over gRPC."],
  upload_source_maps: [Permission.UPLOAD_SOURCE_MAPS, "Adds: upload and delete source maps."],
  admin_error_tracking: [Permission.ADMIN_ERROR_TRACKING, "Adds: see and change settings and client keys."],
  admin_project: [Permission.ADMIN_PROJECT, "Adds: change the project."],
  admin_project_members: [Permission.ADMIN_MEMBERS, "Adds: invite, change and remove members."],
  remove_project: [Permission.REMOVE_PROJECT, "Adds: delete the project."],
} as const;
type Added = keyof typeof added;
const addedNames = Object.keys(added) as Added[]; // the literal table has no other keys

/** Roles of the original may belong to a group; ours belong to the installation, so `group_id` is null. */
export const memberRole = bodyOf(
  MemberRoleSchema,
  { memberRoleId: "id", baseRole: false, permissions: false },
  {
    further: {
      group_id: [{ type: "null", description: "It is the installation's." }, () => null],
      base_access_level: [baseAccessLevel, ({ baseRole }) => baseRole],
      ...Object.fromEntries(
        Object.entries(added).map(([name, [permission, description]]) => [
          name,
          [flag(description), ({ permissions }: MemberRole) => permissions.includes(permission)] as const,
        ]),
      ),
    },
  },
);

export const listMemberRoles = operation(method.listMemberRoles, "GET /member_roles", {
  tag,
  summary: "List the custom roles",
  answer: whole("The custom roles.", memberRole),
});

export const createMemberRole = operation(method.createMemberRole, "POST /member_roles", {
  tag,
  summary: "Make a custom role",
  more: "It must add something to its base role.",
  params: {
    name: filledText("Its name.", { minLength: 1, maxLength: 255 }),
    description: orEmpty(textParam("What it is for.", { maxLength: 255 })),
    base_access_level: required(roleParam(baseAccessLevel)),
    ...(Object.fromEntries(addedNames.map((name) => [name, flagParam(added[name][1])])) as Record<
      Added,
      ReturnType<typeof flagParam>
    >),
  },
  oneOf: addedNames.map((name) => [name]),
  answer: single(201, "The new custom role.", memberRole),
  async run({ params, invoke }) {
    const { name, description, base_access_level: baseRole } = params;
    const permissions = addedNames.flatMap((one) => (params[one] === true ? [added[one][0]] : []));
    return present((await invoke({ name, description, baseRole, permissions })).memberRole);
  },
});

export const deleteMemberRole = operation(method.deleteMemberRole, "DELETE /member_roles/:member_role_id", {
  tag,
  summary: "Delete a custom role that nobody has",
  path: { member_role_id: idInPath("The custom role.", ErrorReason.MEMBER_ROLE_NOT_FOUND) },
  answer: noContent,
});
