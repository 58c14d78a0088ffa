import {
  ListOutcomesRequestSchema,
  ListOutcomesResponseSchema,
  WatchRefusalsRequestSchema,
  WatchRefusalsResponseSchema,
} from "@faultline/proto";
import { core } from "#lib/server/core.ts";
import { json, projectProcedure, router } from "./procedures.ts";

export const outcomeRouter = router({
  list: projectProcedure(ListOutcomesRequestSchema).query(async ({ ctx, input }) =>
    json(ListOutcomesResponseSchema, await core.outcomes.listOutcomes(input, ctx.call)),
  ),
  refusals: projectProcedure(WatchRefusalsRequestSchema).subscription(async function* ({ ctx, input, signal }) {
    const answers = core.outcomes.watchRefusals(input, { token: ctx.call.token, signal });
    for await (const answer of answers) yield json(WatchRefusalsResponseSchema, answer);
  }),
});
