import { ServiceError } from "@faultline/plugin";
import {
  badParameter,
  bodyOf,
  fieldsWithin,
  idInPath,
  noContent,
  numberedPage,
  numberParam,
  operation,
  orEmpty,
  paramsOf,
  present,
  single,
  textParam,
  whole,
} from "@faultline/plugin/rest";
import {
  type CreateInvitationResponse,
  CreateInvitationResponseSchema,
  ErrorReason,
  InvitationSchema,
  type Member,
  MemberSchema,
  MemberService,
} from "@faultline/proto";
import { accessLevel, roleOfParams, roleParams } from "./access-level.ts";
import { memberRole } from "./member-role-operations.ts";
import { userHead } from "../users/user-operations.ts";

const tag = "Members";
const { method } = MemberService;

const member = bodyOf(
  MemberSchema,
  { user: false, role: false, createdTime: null, memberRole: { of: memberRole, orNull: true } },
  {
    further: {
      ...fieldsWithin(userHead, ({ user }: Member) => present(user)),
      access_level: [accessLevel, ({ role }) => role],
      // Memberships of the original can expire.
      expires_at: [{ type: "null", description: "Memberships do not end by themselves." }, () => null],
    },
  },
);

const path = { user_id: idInPath("The user.", ErrorReason.MEMBER_NOT_FOUND) };

/** The original lists inherited members at `/all`; our projects have no group to inherit from. */
function listOf<Path extends string>(route: `GET ${Path}`, words: { readonly id?: string; readonly more?: string }) {
  return operation(method.listMembers, route, {
    tag,
    summary: "List the members of a project",
    ...words,
    params: paramsOf(method.listMembers.input, { query: { maxLength: 255 } }),
    answer: numberedPage("The members, by user name.", member),
  });
}

function oneOf<Path extends string>(route: `GET ${Path}`, words: { readonly id?: string; readonly more?: string }) {
  return operation(method.getMember, route, {
    tag,
    summary: "Read a member",
    ...words,
    path,
    answer: single(200, "The member.", member),
  });
}

export const listMembers = listOf("GET /projects/:project/members", {});
export const listAllMembers = listOf("GET /projects/:project/members/all", {
  id: "listAllMembers",
  more: "As without `/all`: a project has no group to inherit members from.",
});

export const getMember = oneOf("GET /projects/:project/members/:user_id", {});
export const getAnyMember = oneOf("GET /projects/:project/members/all/:user_id", {
  id: "getAnyMember",
  more: "As without `/all`.",
});

export const addMember = operation(method.addMember, "POST /projects/:project/members", {
  tag,
  summary: "Add a user to a project",
  more: "Names the user by `user_id` or by `username`, and the role by `access_level` or by `member_role_id`.",
  params: {
    user_id: numberParam("The user."),
    username: orEmpty(textParam("The user's name.", { maxLength: 255 })),
    ...roleParams,
  },
  oneOf: [
    ["user_id", "access_level"],
    ["username", "access_level"],
    ["user_id", "member_role_id"],
    ["username", "member_role_id"],
  ],
  answer: single(201, "The new member.", member),
  refuses: [409],
  async run({ host, call, params, invoke }) {
    const role = roleOfParams(params);
    const { username, user_id: userId } = params;
    if (userId !== undefined) return present((await invoke({ userId, ...role })).member);
    if (username === "") throw badParameter("user_id, username", "is missing");
    const { users } = await host.core.users.listUsers({ username, pageSize: 1 }, call);
    const [user] = users;
    if (!user) throw new ServiceError(ErrorReason.USER_NOT_FOUND, `There is no user ${username}.`);
    return present((await invoke({ userId: user.userId, ...role })).member);
  },
});

export const updateMember = operation(method.updateMember, "PUT /projects/:project/members/:user_id", {
  tag,
  summary: "Give a member another role",
  path,
  params: roleParams,
  oneOf: [["access_level"], ["member_role_id"]],
  answer: single(200, "The changed member.", member),
  run: async ({ path: { user_id: userId }, params, invoke }) =>
    present((await invoke({ userId, ...roleOfParams(params) })).member),
});

export const removeMember = operation(method.removeMember, "DELETE /projects/:project/members/:user_id", {
  tag,
  summary: "Remove a member",
  more: "Members may remove themselves, whatever their role.",
  path,
  answer: noContent,
});

// Invitations of the original are e-mails; ours are links that a person passes on, so they have separate ids.

const invitation = bodyOf(
  InvitationSchema,
  {
    invitationId: "id",
    projectId: false,
    role: false,
    memberRole: { of: memberRole, orNull: true },
    invitedBy: "created_by_name",
  },
  { further: { access_level: [accessLevel, ({ role }) => role] } },
);

const newInvitation = bodyOf(
  CreateInvitationResponseSchema,
  { invitation: false },
  {
    name: "NewInvitation",
    description: "A new invitation with its link, which is answered only here.",
    further: fieldsWithin(invitation.fields, ({ invitation: made }: CreateInvitationResponse) => present(made)),
  },
);

export const listInvitations = operation(method.listInvitations, "GET /projects/:project/invitations", {
  tag,
  summary: "List the open invitations to a project",
  answer: whole("The invitations.", invitation),
});

export const createInvitation = operation(method.createInvitation, "POST /projects/:project/invitations", {
  tag,
  summary: "Make an invitation",
  more: "The link in the answer is to be handed over; nothing is sent by e-mail.",
  params: { ...roleParams, note: orEmpty(textParam("Whom it is for.", { maxLength: 255 })) },
  oneOf: [["access_level"], ["member_role_id"]],
  answer: single(201, "The invitation with its link.", newInvitation),
  run: ({ params, invoke }) => invoke({ ...roleOfParams(params), note: params.note }),
});

export const revokeInvitation = operation(
  method.revokeInvitation,
  "DELETE /projects/:project/invitations/:invitation_id",
  {
    tag,
    summary: "Revoke an invitation",
    path: { invitation_id: idInPath("The invitation.", ErrorReason.INVITATION_NOT_FOUND) },
    answer: noContent,
  },
);
