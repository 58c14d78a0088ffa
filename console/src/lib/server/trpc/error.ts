import {
  GetErrorRequestSchema,
  GetErrorResponseSchema,
  GetErrorStatsRequestSchema,
  GetErrorStatsResponseSchema,
  GetEventRequestSchema,
  GetEventResponseSchema,
  ListErrorsRequestSchema,
  ListErrorsResponseSchema,
  ListEventsRequestSchema,
  ListEventsResponseSchema,
  UpdateErrorsRequestSchema,
  UpdateErrorsResponseSchema,
  WatchErrorsRequestSchema,
  WatchErrorsResponseSchema,
} from "@faultline/proto";
import { core } from "#lib/server/core.ts";
import { json, projectProcedure, router } from "./procedures.ts";

export const errorRouter = router({
  list: projectProcedure(ListErrorsRequestSchema).query(async ({ ctx, input }) =>
    json(ListErrorsResponseSchema, await core.errors.listErrors(input, ctx.call)),
  ),
  get: projectProcedure(GetErrorRequestSchema).query(async ({ ctx, input }) =>
    json(GetErrorResponseSchema, await core.errors.getError(input, ctx.call)),
  ),
  update: projectProcedure(UpdateErrorsRequestSchema).mutation(async ({ ctx, input }) =>
    json(UpdateErrorsResponseSchema, await core.errors.updateErrors(input, ctx.call)),
  ),
  events: projectProcedure(ListEventsRequestSchema).query(async ({ ctx, input }) =>
    json(ListEventsResponseSchema, await core.errors.listEvents(input, ctx.call)),
  ),
  event: projectProcedure(GetEventRequestSchema).query(async ({ ctx, input }) =>
    json(GetEventResponseSchema, await core.errors.getEvent(input, ctx.call)),
  ),
  stats: projectProcedure(GetErrorStatsRequestSchema).query(async ({ ctx, input }) =>
    json(GetErrorStatsResponseSchema, await core.errors.getErrorStats(input, ctx.call)),
  ),
  changes: projectProcedure(WatchErrorsRequestSchema).subscription(async function* ({ ctx, input, signal }) {
    const answers = core.errors.watchErrors(input, { token: ctx.call.token, signal });
    for await (const answer of answers) yield json(WatchErrorsResponseSchema, answer);
  }),
});
