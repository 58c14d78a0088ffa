import {
  fieldsWithin,
  idInPath,
  isoTime,
  noContent,
  single,
  operation,
  orEmpty,
  partOrNull,
  positive,
  present,
  shape,
  text,
  textParam,
  time,
  whole,
  type Fields,
} from "@faultline/plugin/rest";
import { ErrorReason, MemberService, type CreateInvitationResponse, type Invitation } from "@faultline/proto";
import { accessLevel, roleOfParams, roleParams } from "./access-level.ts";
import { memberRole } from "./member-role-operations.ts";

// Invitations of the original are e-mails; ours are links that a person passes on, so they have ids of their own.

const tag = "Members";
const { method } = MemberService;

const invitationFields: Fields<Invitation> = {
  id: [positive("The invitation."), ({ invitationId }) => invitationId],
  access_level: [accessLevel, ({ role }) => role],
  member_role: partOrNull(memberRole, (invitation) => invitation.memberRole),
  note: [text("Whom it is for, in the words of its maker; may be empty."), ({ note }) => note],
  created_by_name: [text("The user name of its maker."), ({ invitedBy }) => invitedBy],
  created_at: [time("When it was made."), ({ createdTime }) => isoTime(createdTime)],
  expires_at: [time("When it ends."), ({ expiresTime }) => isoTime(expiresTime)],
};

const invitation = shape("Invitation", "An open invitation.", invitationFields);

const newInvitation = shape<CreateInvitationResponse>(
  "NewInvitation",
  "A new invitation with its link, which is answered only here.",
  {
    ...fieldsWithin(invitationFields, ({ invitation: made }: CreateInvitationResponse) => present(made)),
    url: [
      text("The link to hand over. The first person who opens it becomes a member, so treat it as a secret."),
      ({ url }) => url,
    ],
  },
);

export const listInvitations = operation(method.listInvitations, "GET /projects/:project/invitations", {
  tag,
  summary: "List the open invitations to a project",
  answer: whole("The invitations.", invitation),
  run: async ({ invoke }) => (await invoke({})).invitations,
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
    run: ({ path: { invitation_id: invitationId }, invoke }) => invoke({ invitationId }),
  },
);
