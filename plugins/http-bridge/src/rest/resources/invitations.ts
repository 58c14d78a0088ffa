import { create } from "@bufbuild/protobuf";
import {
  CreateInvitationRequestSchema,
  ErrorReason,
  ListInvitationsRequestSchema,
  RevokeInvitationRequestSchema,
  type Invitation,
} from "@faultline/proto";
import { givenRole } from "../access-level.ts";
import { isoTime } from "../iso-time.ts";
import { projectOf } from "../named-project.ts";
import { textParam } from "../params.ts";
import { idInPath } from "../path-parts.ts";
import type { Operation } from "../rest.ts";
import { memberRoleBody } from "./member-roles.ts";

// Invitations of the original are e-mails; ours are links that a person hands over, and so have ids of their own.

export const listInvitations: Operation = async (restCall) => {
  const { visit, call } = restCall;
  const request = create(ListInvitationsRequestSchema, { projectId: projectOf(restCall).projectId });
  const { invitations = [] } = await visit.host.core.members.listInvitations(request, call);
  return { status: 200, body: invitations.map((invitation) => invitationBody(invitation as Invitation)) };
};

/** The answer alone carries the link. */
export const createInvitation: Operation = async (restCall) => {
  const { visit, call, params } = restCall;
  const request = create(CreateInvitationRequestSchema, {
    projectId: projectOf(restCall).projectId,
    ...givenRole(params),
    note: textParam(params, "note") ?? "",
  });
  const { invitation, url } = await visit.host.core.members.createInvitation(request, call);
  return { status: 201, body: { ...invitationBody(invitation as Invitation), url } };
};

export const revokeInvitation: Operation = async (restCall) => {
  const { visit, call } = restCall;
  const { projectId } = projectOf(restCall);
  const invitationId = idInPath(restCall, "invitation_id", ErrorReason.INVITATION_NOT_FOUND);
  const request = create(RevokeInvitationRequestSchema, { projectId, invitationId });
  await visit.host.core.members.revokeInvitation(request, call);
  return { status: 204 };
};

function invitationBody(invitation: Invitation): object {
  return {
    id: invitation.invitationId,
    access_level: invitation.role,
    member_role: invitation.memberRole ? memberRoleBody(invitation.memberRole) : null,
    note: invitation.note,
    created_by_name: invitation.invitedBy,
    created_at: isoTime(invitation.createdTime),
    expires_at: isoTime(invitation.expiresTime),
  };
}
