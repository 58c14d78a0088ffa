import { ListDeprecationsRequestSchema, ListDeprecationsResponseSchema } from "@faultline/proto";
import { core } from "#lib/server/core.ts";
import { json, message, router, signedInProcedure } from "./procedures.ts";

export const deprecationRouter = router({
  list: signedInProcedure
    .input(message(ListDeprecationsRequestSchema))
    .query(async ({ ctx, input }) =>
      json(ListDeprecationsResponseSchema, await core.deprecations.listDeprecations(input, ctx.call)),
    ),
});
