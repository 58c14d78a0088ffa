import {
  CreatePasswordResetRequestSchema,
  CreatePasswordResetResponseSchema,
  CreateUserRequestSchema,
  CreateUserResponseSchema,
  DeleteUserRequestSchema,
  DeleteUserResponseSchema,
  GetUserRequestSchema,
  GetUserResponseSchema,
  ListUsersRequestSchema,
  ListUsersResponseSchema,
  UpdateUserRequestSchema,
  UpdateUserResponseSchema,
} from "@faultline/proto";
import { core } from "#lib/server/core.ts";
import { json, message, router, signedInProcedure } from "./procedures.ts";

export const userRouter = router({
  list: signedInProcedure
    .input(message(ListUsersRequestSchema))
    .query(async ({ ctx, input }) => json(ListUsersResponseSchema, await core.users.listUsers(input, ctx.call))),
  get: signedInProcedure
    .input(message(GetUserRequestSchema))
    .query(async ({ ctx, input }) => json(GetUserResponseSchema, await core.users.getUser(input, ctx.call))),
  create: signedInProcedure
    .input(message(CreateUserRequestSchema))
    .mutation(async ({ ctx, input }) => json(CreateUserResponseSchema, await core.users.createUser(input, ctx.call))),
  update: signedInProcedure
    .input(message(UpdateUserRequestSchema))
    .mutation(async ({ ctx, input }) => json(UpdateUserResponseSchema, await core.users.updateUser(input, ctx.call))),
  delete: signedInProcedure
    .input(message(DeleteUserRequestSchema))
    .mutation(async ({ ctx, input }) => json(DeleteUserResponseSchema, await core.users.deleteUser(input, ctx.call))),
  createPasswordReset: signedInProcedure
    .input(message(CreatePasswordResetRequestSchema))
    .mutation(async ({ ctx, input }) =>
      json(CreatePasswordResetResponseSchema, await core.users.createPasswordReset(input, ctx.call)),
    ),
});
