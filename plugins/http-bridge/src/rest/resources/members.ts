import { create } from "@bufbuild/protobuf";
import { ServiceError } from "@faultline/plugin";
import {
  AddMemberRequestSchema,
  ErrorReason,
  GetMemberRequestSchema,
  ListMembersRequestSchema,
  ListUsersRequestSchema,
  RemoveMemberRequestSchema,
  UpdateMemberRequestSchema,
  type Member,
  type User,
} from "@faultline/proto";
import { givenRole } from "../access-level.ts";
import { isoTime } from "../iso-time.ts";
import { badParameter } from "../http-error.ts";
import { projectOf } from "../named-project.ts";
import { pageOf, pageRequest, setPageHeaders } from "../pages.ts";
import { numberParam, textParam } from "../params.ts";
import { idInPath } from "../path-parts.ts";
import type { Operation, RestCall } from "../rest.ts";
import { memberRoleBody } from "./member-roles.ts";
import { userHead } from "./users.ts";

export const listMembers: Operation = async (restCall) => {
  const { visit, call, params } = restCall;
  const { projectId } = projectOf(restCall);
  const page = pageOf(params);
  const query = textParam(params, "query") ?? "";
  const request = create(ListMembersRequestSchema, { projectId, query, ...pageRequest(page) });
  const { members = [], totalSize = 0 } = await visit.host.core.members.listMembers(request, call);
  setPageHeaders(visit, page, totalSize);
  return { status: 200, body: members.map((member) => memberBody(member as Member)) };
};

export const getMember: Operation = async (restCall) => {
  const { visit, call } = restCall;
  const { member } = await visit.host.core.members.getMember(create(GetMemberRequestSchema, named(restCall)), call);
  return { status: 200, body: memberBody(member as Member) };
};

/** Takes the user by `user_id` or by `username`. */
export const addMember: Operation = async (restCall) => {
  const { visit, call, params } = restCall;
  const { projectId } = projectOf(restCall);
  const given = givenRole(params);
  const userId = numberParam(params, "user_id") ?? (await userIdOf(restCall));
  const request = create(AddMemberRequestSchema, { projectId, userId, ...given });
  const { member } = await visit.host.core.members.addMember(request, call);
  return { status: 201, body: memberBody(member as Member) };
};

export const updateMember: Operation = async (restCall) => {
  const { visit, call, params } = restCall;
  const request = create(UpdateMemberRequestSchema, { ...named(restCall), ...givenRole(params) });
  const { member } = await visit.host.core.members.updateMember(request, call);
  return { status: 200, body: memberBody(member as Member) };
};

export const removeMember: Operation = async (restCall) => {
  const { visit, call } = restCall;
  await visit.host.core.members.removeMember(create(RemoveMemberRequestSchema, named(restCall)), call);
  return { status: 204 };
};

function named(restCall: RestCall): { projectId: number; userId: number } {
  const { projectId } = projectOf(restCall);
  return { projectId, userId: idInPath(restCall, "user_id", ErrorReason.MEMBER_NOT_FOUND) };
}

async function userIdOf({ visit, call, params }: RestCall): Promise<number> {
  const username = textParam(params, "username") ?? "";
  if (username === "") throw badParameter("user_id, username", "is missing");
  const request = create(ListUsersRequestSchema, { username, pageSize: 1 });
  const { users = [] } = await visit.host.core.users.listUsers(request, call);
  const [user] = users as User[];
  if (!user) throw new ServiceError(ErrorReason.USER_NOT_FOUND, `There is no user ${username}.`);
  return user.userId;
}

function memberBody({ user, role, memberRole, createdTime }: Member): object {
  return {
    ...(user && userHead(user)),
    access_level: role,
    created_at: isoTime(createdTime),
    expires_at: null, // memberships of the original can have an end
    member_role: memberRole ? memberRoleBody(memberRole) : null,
  };
}
