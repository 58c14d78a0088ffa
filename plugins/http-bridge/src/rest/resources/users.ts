import { create } from "@bufbuild/protobuf";
import {
  CreateUserRequestSchema,
  DeleteUserRequestSchema,
  ErrorReason,
  GetCurrentUserRequestSchema,
  GetUserRequestSchema,
  ListUsersRequestSchema,
  UpdateUserRequestSchema,
  type ListUsersRequest,
  type User,
} from "@faultline/proto";
import { isoTime } from "../iso-time.ts";
import { setLinks } from "../links.ts";
import { pageOf, pageRequest, perPageOf, setPageHeaders } from "../pages.ts";
import { booleanParam, choiceParam, numberParam, requiredText, textParam } from "../params.ts";
import { idInPath } from "../path-parts.ts";
import type { Operation, RestCall } from "../rest.ts";

/** Ordered by id. Offset pagination is served at the releases of the platform that still have it (specification 9.3). */
export const listUsers: Operation = async (restCall) => {
  const { visit, params } = restCall;
  const pagination = choiceParam(params, "pagination", ["keyset", "offset"]);
  choiceParam(params, "order_by", ["id"]);
  choiceParam(params, "sort", ["asc"]);
  const request = create(ListUsersRequestSchema, {
    query: textParam(params, "search") ?? "",
    username: textParam(params, "username") ?? "",
  });
  const byPage = { method: "GET", path: "/api/v4/users", parameters: { page: "1" } };
  const hasOffsets = visit.host.deprecations.verdict(byPage)?.kind !== "refused";
  const list = hasOffsets && pagination !== "keyset" ? usersByPage : usersById;
  return { status: 200, body: (await list(restCall, request)).map(userBody) };
};

async function usersByPage({ visit, call, params }: RestCall, filter: ListUsersRequest): Promise<User[]> {
  const page = pageOf(params);
  const request = create(ListUsersRequestSchema, { ...filter, ...pageRequest(page) });
  const { users = [], totalSize = 0 } = await visit.host.core.users.listUsers(request, call);
  setPageHeaders(visit, page, totalSize);
  return users as User[]; // the guarded core answers whole messages
}

async function usersById({ visit, call, params }: RestCall, filter: ListUsersRequest): Promise<User[]> {
  const pageSize = perPageOf(params);
  const afterUserId = numberParam(params, "id_after") ?? 0;
  const request = create(ListUsersRequestSchema, { ...filter, pageSize, afterUserId });
  const { users = [], nextPageToken = "" } = await visit.host.core.users.listUsers(request, call);
  const last = users.at(-1)?.userId;
  if (nextPageToken !== "" && last !== undefined) {
    const next = { pagination: "keyset", per_page: String(pageSize), order_by: "id", sort: "asc", id_after: `${last}` };
    setLinks(visit, [["next", next]]);
  }
  return users as User[];
}

export const getUser: Operation = async (restCall) => {
  const { visit, call } = restCall;
  const request = create(GetUserRequestSchema, { userId: idOf(restCall) });
  const { user } = await visit.host.core.users.getUser(request, call);
  return { status: 200, body: userBody(user as User) };
};

export const getCurrentUser: Operation = async ({ visit, call }) => {
  const { user } = await visit.host.core.accounts.getCurrentUser(create(GetCurrentUserRequestSchema), call);
  return { status: 200, body: userBody(user as User) };
};

export const createUser: Operation = async ({ visit, call, params }) => {
  const request = create(CreateUserRequestSchema, {
    username: requiredText(params, "username"),
    name: textParam(params, "name") ?? "",
    email: textParam(params, "email") ?? "",
    password: textParam(params, "password") ?? "",
    isAdmin: booleanParam(params, "admin") ?? false,
  });
  const { user } = await visit.host.core.users.createUser(request, call);
  return { status: 201, body: userBody(user as User) };
};

export const updateUser: Operation = async (restCall) => {
  const { visit, call, params } = restCall;
  const username = textParam(params, "username");
  const name = textParam(params, "name");
  const email = textParam(params, "email");
  const isAdmin = booleanParam(params, "admin");
  const request = create(UpdateUserRequestSchema, {
    userId: idOf(restCall),
    ...(username !== undefined && { username }),
    ...(name !== undefined && { name }),
    ...(email !== undefined && { email }),
    ...(isAdmin !== undefined && { isAdmin }),
  });
  const { user } = await visit.host.core.users.updateUser(request, call);
  return { status: 200, body: userBody(user as User) };
};

/** Blocks or unblocks; answers 201 and `true`, as the original does. */
export const setBlocked =
  (isBlocked: boolean): Operation =>
  async (restCall) => {
    const { visit, call } = restCall;
    const request = create(UpdateUserRequestSchema, { userId: idOf(restCall), isBlocked });
    await visit.host.core.users.updateUser(request, call);
    return { status: 201, body: true };
  };

export const deleteUser: Operation = async (restCall) => {
  const { visit, call } = restCall;
  await visit.host.core.users.deleteUser(create(DeleteUserRequestSchema, { userId: idOf(restCall) }), call);
  return { status: 204 };
};

const idOf = (restCall: RestCall) => idInPath(restCall, "user_id", ErrorReason.USER_NOT_FOUND);

/** What each caller may see of a user. */
export function userHead(user: User) {
  return {
    id: user.userId,
    username: user.username,
    name: user.name,
    state: user.isBlocked ? "blocked" : "active",
  };
}

/** What the core lets this caller see: fields it keeps back are absent. */
function userBody(user: User): object {
  return {
    ...userHead(user),
    ...(user.email !== "" && { email: user.email }),
    is_admin: user.isAdmin,
    created_at: isoTime(user.createdTime),
    ...(user.lastSignInTime && { last_sign_in_at: isoTime(user.lastSignInTime) }),
  };
}
