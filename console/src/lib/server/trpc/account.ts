import {
  CreateAccessTokenRequestSchema,
  CreateAccessTokenResponseSchema,
  GetCurrentUserRequestSchema,
  GetCurrentUserResponseSchema,
  ListAccessTokensRequestSchema,
  ListAccessTokensResponseSchema,
  RevokeAccessTokenRequestSchema,
  RevokeAccessTokenResponseSchema,
} from "@faultline/proto";
import { core } from "#lib/server/core.ts";
import { json, message, router, signedInProcedure } from "./procedures.ts";

export const accountRouter = router({
  current: signedInProcedure
    .input(message(GetCurrentUserRequestSchema))
    .query(async ({ ctx, input }) =>
      json(GetCurrentUserResponseSchema, await core.accounts.getCurrentUser(input, ctx.call)),
    ),
  tokens: signedInProcedure
    .input(message(ListAccessTokensRequestSchema))
    .query(async ({ ctx, input }) =>
      json(ListAccessTokensResponseSchema, await core.accounts.listAccessTokens(input, ctx.call)),
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
});
