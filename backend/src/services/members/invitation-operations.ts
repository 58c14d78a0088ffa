import {
  bodyOf,
  fieldsWithin,
  idInPath,
  noContent,
  operation,
  orEmpty,
  present,
  single,
  textParam,
  whole,
} from "@faultline/plugin/rest";
import {
  CreateInvitationResponseSchema,
  ErrorReason,
  InvitationSchema,
  MemberService,
  type CreateInvitationResponse,
} from "@faultline/proto";
import { accessLevel, roleOfParams, roleParams } from "./access-level.ts";
import { memberRole } from "./member-role-operations.ts";

// Invitations of the original are e-mails; ours are links that a person passes on, so they have ids of their own.

const tag = "Members";
const { method } = MemberService;

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
