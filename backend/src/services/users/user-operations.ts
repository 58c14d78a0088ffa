import type { MessageInitShape } from "@bufbuild/protobuf";
import {
  bodyOf,
  choice,
  choiceParam,
  constant,
  idInPath,
  isoTime,
  linkHeader,
  list,
  noContent,
  numbered,
  numberParam,
  single,
  operation,
  orEmpty,
  pageHeaders,
  pageOf,
  paramsOf,
  text,
  textParam,
  time,
  type Answer,
  type Fields,
} from "@faultline/plugin/rest";
import {
  AccountService,
  ErrorReason,
  UserSchema,
  UserService,
  type ListUsersRequestSchema,
  type User,
} from "@faultline/proto";

const tag = "Users";
const { method } = UserService;

const differences = {
  userId: "id",
  isBlocked: false,
  email: false,
  lastSignInTime: false,
  isEmailConfirmed: false,
} as const;
const state: Fields<User> = {
  state: [
    choice("`blocked`: may not sign in, and tokens are refused.", ["active", "blocked"]),
    ({ isBlocked }) => (isBlocked ? "blocked" : "active"),
  ],
};

/** The fields of a user in other bodies. */
export const userHead = bodyOf(
  UserSchema,
  { ...differences, isAdmin: false, createdTime: false },
  { further: state },
).fields;

/** The fields of a user that the core shows to this caller; hidden fields are omitted. */
const user = bodyOf(UserSchema, differences, {
  description: "A user. What the caller may not see is absent.",
  further: state,
  optional: {
    email: [text("For administrators and the user."), ({ email }) => email || undefined],
    last_sign_in_at: [
      time("For administrators and the user; absent: never."),
      ({ lastSignInTime }) => lastSignInTime && isoTime(lastSignInTime),
    ],
  },
});

const username = { pattern: "^[A-Za-z0-9_][A-Za-z0-9_.-]{1,254}$" };
const fields = { name: { maxLength: 255 }, email: { maxLength: 254 }, isAdmin: "admin" } as const;

const path = { user_id: idInPath("The user.", ErrorReason.USER_NOT_FOUND) };

/** A page of users, with the headers of the requested kind of pagination. */
const users: Answer<{ readonly items: readonly User[]; readonly headers: Readonly<Record<string, string>> }> = {
  status: 200,
  description: "The users, by id.",
  schema: list(user.schema),
  pages: "cursor",
  write: ({ items, headers }) => ({ status: 200, headers, body: items.map(user.write) }),
};

export const getCurrentUser = operation(AccountService.method.getCurrentUser, "GET /user", {
  tag,
  summary: "Read the user whose token this is",
  answer: single(200, "The user.", user),
});

/**
 * Ordered by id. Offset pagination is available at the releases of the platform that still have it (specification 9.3).
 */
export const listUsers = operation(method.listUsers, "GET /users", {
  tag,
  summary: "List the users",
  more:
    "Keyset pagination: the header `Link` names the next page. Numbered pages (`page`) are deprecated since release 16.5 " +
    "of the platform and refused with 400 from 17.0 on; before, answers carry the headers `X-Total` and so on, and " +
    "those that use them the headers `Deprecation` and `Sunset`.",
  params: {
    search: orEmpty(
      textParam("Only those whose name or user name contains this, or whose e-mail address is this.", {
        maxLength: 255,
      }),
    ),
    username: orEmpty(textParam("Only the user with exactly this name.", { maxLength: 255 })),
    pagination: choiceParam("`offset` only where numbered pages still exist.", ["keyset", "offset"]),
    order_by: choiceParam("The order.", ["id"]),
    sort: choiceParam("Its direction.", ["asc"]),
    id_after: numberParam("Only those with a greater id."),
    per_page: numbered.per_page,
    page: { ...numbered.page, schema: { ...numbered.page.schema, deprecated: true } },
  },
  answer: users,
  async run({ host, params, address, invoke }) {
    const filter: MessageInitShape<typeof ListUsersRequestSchema> = { query: params.search, username: params.username };
    const byPage = { method: "GET", path: "/api/v4/users", parameters: { page: "1" } };
    const hasOffsets = host.deprecations.verdict(byPage)?.kind !== "refused";
    if (hasOffsets && params.pagination !== "keyset") {
      const { users: items, totalSize } = await invoke({ ...filter, ...pageOf(params) });
      return { items, headers: pageHeaders(address, params, totalSize) };
    }
    const { per_page: pageSize, id_after: afterUserId = 0 } = params;
    const { users: items, nextPageToken } = await invoke({ ...filter, pageSize, afterUserId });
    const last = items.at(-1)?.userId;
    if (nextPageToken === "" || last === undefined) return { items, headers: {} };
    const next = { pagination: "keyset", per_page: String(pageSize), order_by: "id", sort: "asc", id_after: `${last}` };
    return { items, headers: linkHeader(address, [["next", next]]) };
  },
});

export const createUser = operation(method.createUser, "POST /users", {
  tag,
  summary: "Make a user",
  params: paramsOf(method.createUser.input, {
    ...fields,
    username: { isRequired: true, ...username },
    password: { minLength: 12, maxLength: 1024 },
  }),
  answer: single(201, "The new user.", user),
  refuses: [409],
});

export const getUser = operation(method.getUser, "GET /users/:user_id", {
  tag,
  summary: "Read a user",
  path,
  answer: single(200, "The user.", user),
});

export const updateUser = operation(method.updateUser, "PUT /users/:user_id", {
  tag,
  summary: "Change a user",
  more: "Omitted fields keep their values.",
  path,
  params: paramsOf(method.updateUser.input, { ...fields, username, isBlocked: false }),
  answer: single(200, "The changed user.", user),
  refuses: [409],
});

export const confirmUserEmail = operation(method.confirmUserEmail, "POST /users/:user_id/confirm_email", {
  tag,
  summary: "Confirm the e-mail address of a user",
  path,
  params: paramsOf(method.confirmUserEmail.input, { email: { isRequired: true, maxLength: 254 } }),
  answer: single(200, "The user.", user),
});

export const deleteUser = operation(method.deleteUser, "DELETE /users/:user_id", {
  tag,
  summary: "Delete a user",
  more: "Sessions, tokens and memberships go with it.",
  path,
  answer: noContent,
});

/** Answers 201 and `true`, like the original. */
const done = constant(201, "It is done.", { type: "boolean", const: true }, true);

export const blockUser = operation(method.updateUser, "POST /users/:user_id/block", {
  id: "blockUser",
  tag,
  summary: "Block a user",
  path,
  params: {},
  fixed: { isBlocked: true },
  answer: done,
});

export const unblockUser = operation(method.updateUser, "POST /users/:user_id/unblock", {
  id: "unblockUser",
  tag,
  summary: "Unblock a user",
  path,
  params: {},
  fixed: { isBlocked: false },
  answer: done,
});
