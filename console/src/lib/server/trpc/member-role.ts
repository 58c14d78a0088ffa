import {
  CreateMemberRoleRequestSchema,
  CreateMemberRoleResponseSchema,
  DeleteMemberRoleRequestSchema,
  DeleteMemberRoleResponseSchema,
  ListMemberRolesRequestSchema,
  ListMemberRolesResponseSchema,
} from "@faultline/proto";
import { core } from "#lib/server/core.ts";
import { json, message, router, signedInProcedure } from "./procedures.ts";

export const memberRoleRouter = router({
  list: signedInProcedure
    .input(message(ListMemberRolesRequestSchema))
    .query(async ({ ctx, input }) =>
      json(ListMemberRolesResponseSchema, await core.memberRoles.listMemberRoles(input, ctx.call)),
    ),
  create: signedInProcedure
    .input(message(CreateMemberRoleRequestSchema))
    .mutation(async ({ ctx, input }) =>
      json(CreateMemberRoleResponseSchema, await core.memberRoles.createMemberRole(input, ctx.call)),
    ),
  delete: signedInProcedure
    .input(message(DeleteMemberRoleRequestSchema))
    .mutation(async ({ ctx, input }) =>
      json(DeleteMemberRoleResponseSchema, await core.memberRoles.deleteMemberRole(input, ctx.call)),
    ),
});
