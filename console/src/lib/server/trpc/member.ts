import {
  AcceptInvitationRequestSchema,
  AcceptInvitationResponseSchema,
  AddMemberRequestSchema,
  AddMemberResponseSchema,
  CreateInvitationRequestSchema,
  CreateInvitationResponseSchema,
  GetMemberRequestSchema,
  GetMemberResponseSchema,
  ListInvitationsRequestSchema,
  ListInvitationsResponseSchema,
  ListMembersRequestSchema,
  ListMembersResponseSchema,
  RemoveMemberRequestSchema,
  RemoveMemberResponseSchema,
  RevokeInvitationRequestSchema,
  RevokeInvitationResponseSchema,
  UpdateMemberRequestSchema,
  UpdateMemberResponseSchema,
} from "@faultline/proto";
import { core } from "#lib/server/core.ts";
import { json, message, projectProcedure, router, signedInProcedure } from "./procedures.ts";

export const memberRouter = router({
  list: projectProcedure(ListMembersRequestSchema).query(async ({ ctx, input }) =>
    json(ListMembersResponseSchema, await core.members.listMembers(input, ctx.call)),
  ),
  get: projectProcedure(GetMemberRequestSchema).query(async ({ ctx, input }) =>
    json(GetMemberResponseSchema, await core.members.getMember(input, ctx.call)),
  ),
  add: projectProcedure(AddMemberRequestSchema).mutation(async ({ ctx, input }) =>
    json(AddMemberResponseSchema, await core.members.addMember(input, ctx.call)),
  ),
  update: projectProcedure(UpdateMemberRequestSchema).mutation(async ({ ctx, input }) =>
    json(UpdateMemberResponseSchema, await core.members.updateMember(input, ctx.call)),
  ),
  remove: projectProcedure(RemoveMemberRequestSchema).mutation(async ({ ctx, input }) =>
    json(RemoveMemberResponseSchema, await core.members.removeMember(input, ctx.call)),
  ),
  createInvitation: projectProcedure(CreateInvitationRequestSchema).mutation(async ({ ctx, input }) =>
    json(CreateInvitationResponseSchema, await core.members.createInvitation(input, ctx.call)),
  ),
  invitations: projectProcedure(ListInvitationsRequestSchema).query(async ({ ctx, input }) =>
    json(ListInvitationsResponseSchema, await core.members.listInvitations(input, ctx.call)),
  ),
  revokeInvitation: projectProcedure(RevokeInvitationRequestSchema).mutation(async ({ ctx, input }) =>
    json(RevokeInvitationResponseSchema, await core.members.revokeInvitation(input, ctx.call)),
  ),
  acceptInvitation: signedInProcedure
    .input(message(AcceptInvitationRequestSchema))
    .mutation(async ({ ctx, input }) =>
      json(AcceptInvitationResponseSchema, await core.members.acceptInvitation(input, ctx.call)),
    ),
});
