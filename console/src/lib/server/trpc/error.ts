import {
  AskedProjectsSchema,
  GetErrorRequestSchema,
  GetErrorResponseSchema,
  GetErrorStatsRequestSchema,
  GetErrorStatsResponseSchema,
  GetEventRequestSchema,
  GetEventResponseSchema,
  ListAllErrorsRequestSchema,
  ListErrorsRequestSchema,
  ListErrorsResponseSchema,
  ListEventsRequestSchema,
  ListEventsResponseSchema,
  ProjectErrorsSchema,
  UpdateErrorsRequestSchema,
  UpdateErrorsResponseSchema,
  WatchErrorsRequestSchema,
  WatchErrorsResponseSchema,
} from "@faultline/proto";
import { core } from "#lib/server/core.ts";
import { json, message, projectProcedure, router, signedInProcedure } from "./procedures.ts";

// An external system is waited for 10 s, or 30 s where it changes something; then the service says so, and why.
const readMs = 12_000;
const changeMs = 35_000;

export const errorRouter = router({
  list: projectProcedure(ListErrorsRequestSchema).query(async ({ ctx, input }) =>
    json(ListErrorsResponseSchema, await core.errors.listErrors(input, { ...ctx.call, timeoutMs: readMs })),
  ),
  listAll: signedInProcedure.input(message(ListAllErrorsRequestSchema)).subscription(async function* ({
    ctx,
    input,
    signal = ctx.signal,
  }) {
    for await (const { part } of core.errors.listAllErrors(input, { token: ctx.call.token, signal })) {
      if (part.case === "asked") yield { asked: json(AskedProjectsSchema, part.value) };
      if (part.case === "answer") yield { answer: json(ProjectErrorsSchema, part.value) };
    }
  }),
  get: projectProcedure(GetErrorRequestSchema).query(async ({ ctx, input }) =>
    json(GetErrorResponseSchema, await core.errors.getError(input, { ...ctx.call, timeoutMs: readMs })),
  ),
  update: projectProcedure(UpdateErrorsRequestSchema).mutation(async ({ ctx, input }) =>
    json(UpdateErrorsResponseSchema, await core.errors.updateErrors(input, { ...ctx.call, timeoutMs: changeMs })),
  ),
  events: projectProcedure(ListEventsRequestSchema).query(async ({ ctx, input }) =>
    json(ListEventsResponseSchema, await core.errors.listEvents(input, { ...ctx.call, timeoutMs: readMs })),
  ),
  event: projectProcedure(GetEventRequestSchema).query(async ({ ctx, input }) =>
    json(GetEventResponseSchema, await core.errors.getEvent(input, { ...ctx.call, timeoutMs: readMs })),
  ),
  stats: projectProcedure(GetErrorStatsRequestSchema).query(async ({ ctx, input }) =>
    json(GetErrorStatsResponseSchema, await core.errors.getErrorStats(input, { ...ctx.call, timeoutMs: readMs })),
  ),
  changes: projectProcedure(WatchErrorsRequestSchema).subscription(async function* ({ ctx, input, signal }) {
    const answers = core.errors.watchErrors(input, { token: ctx.call.token, signal });
    for await (const answer of answers) yield json(WatchErrorsResponseSchema, answer);
  }),
});
