import {
  ChangePasswordRequestSchema,
  ChangePasswordResponseSchema,
  CreateAccessTokenRequestSchema,
  CreateAccessTokenResponseSchema,
  EndSessionRequestSchema,
  EndSessionResponseSchema,
  GetAccessTokenRequestSchema,
  GetAccessTokenResponseSchema,
  GetCurrentUserRequestSchema,
  GetCurrentUserResponseSchema,
  ListAccessTokensRequestSchema,
  ListAccessTokensResponseSchema,
  ListSessionsRequestSchema,
  ListSessionsResponseSchema,
  RevokeAccessTokenRequestSchema,
  RevokeAccessTokenResponseSchema,
  RotateAccessTokenRequestSchema,
  RotateAccessTokenResponseSchema,
  SignOutRequestSchema,
  SignOutResponseSchema,
  UpdateProfileRequestSchema,
  UpdateProfileResponseSchema,
} from "@faultline/proto";
import { core } from "#lib/server/core.ts";
import { json, message, router, signedInProcedure } from "./procedures.ts";

export const accountRouter = router({
  current: signedInProcedure
    .input(message(GetCurrentUserRequestSchema))
    .query(async ({ ctx, input }) =>
      json(GetCurrentUserResponseSchema, await core.accounts.getCurrentUser(input, ctx.call)),
    ),
  signOut: signedInProcedure
    .input(message(SignOutRequestSchema))
    .mutation(async ({ ctx, input }) => json(SignOutResponseSchema, await core.accounts.signOut(input, ctx.call))),
  updateProfile: signedInProcedure
    .input(message(UpdateProfileRequestSchema))
    .mutation(async ({ ctx, input }) =>
      json(UpdateProfileResponseSchema, await core.accounts.updateProfile(input, ctx.call)),
    ),
  changePassword: signedInProcedure
    .input(message(ChangePasswordRequestSchema))
    .mutation(async ({ ctx, input }) =>
      json(ChangePasswordResponseSchema, await core.accounts.changePassword(input, ctx.call)),
    ),
  sessions: signedInProcedure
    .input(message(ListSessionsRequestSchema))
    .query(async ({ ctx, input }) =>
      json(ListSessionsResponseSchema, await core.accounts.listSessions(input, ctx.call)),
    ),
  endSession: signedInProcedure
    .input(message(EndSessionRequestSchema))
    .mutation(async ({ ctx, input }) =>
      json(EndSessionResponseSchema, await core.accounts.endSession(input, ctx.call)),
    ),
  tokens: signedInProcedure
    .input(message(ListAccessTokensRequestSchema))
    .query(async ({ ctx, input }) =>
      json(ListAccessTokensResponseSchema, await core.accounts.listAccessTokens(input, ctx.call)),
    ),
  token: signedInProcedure
    .input(message(GetAccessTokenRequestSchema))
    .query(async ({ ctx, input }) =>
      json(GetAccessTokenResponseSchema, await core.accounts.getAccessToken(input, ctx.call)),
    ),
  createToken: signedInProcedure
    .input(message(CreateAccessTokenRequestSchema))
    .mutation(async ({ ctx, input }) =>
      json(CreateAccessTokenResponseSchema, await core.accounts.createAccessToken(input, ctx.call)),
    ),
  revokeToken: signedInProcedure
    .input(message(RevokeAccessTokenRequestSchema))
    .mutation(async ({ ctx, input }) =>
      json(RevokeAccessTokenResponseSchema, await core.accounts.revokeAccessToken(input, ctx.call)),
    ),
  rotateToken: signedInProcedure
    .input(message(RotateAccessTokenRequestSchema))
    .mutation(async ({ ctx, input }) =>
      json(RotateAccessTokenResponseSchema, await core.accounts.rotateAccessToken(input, ctx.call)),
    ),
});
