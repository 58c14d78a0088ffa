import {
  DeleteUnstoredEventsRequestSchema,
  DeleteUnstoredEventsResponseSchema,
  ListUnstoredEventsRequestSchema,
  ListUnstoredEventsResponseSchema,
  ReplayUnstoredEventsRequestSchema,
  ReplayUnstoredEventsResponseSchema,
} from "@faultline/proto";
import { core } from "#lib/server/core.ts";
import { json, projectProcedure, router } from "./procedures.ts";

export const unstoredEventRouter = router({
  list: projectProcedure(ListUnstoredEventsRequestSchema).query(async ({ ctx, input }) =>
    json(ListUnstoredEventsResponseSchema, await core.ingest.listUnstoredEvents(input, ctx.call)),
  ),
  replay: projectProcedure(ReplayUnstoredEventsRequestSchema).mutation(async ({ ctx, input }) =>
    json(ReplayUnstoredEventsResponseSchema, await core.ingest.replayUnstoredEvents(input, ctx.call)),
  ),
  delete: projectProcedure(DeleteUnstoredEventsRequestSchema).mutation(async ({ ctx, input }) =>
    json(DeleteUnstoredEventsResponseSchema, await core.ingest.deleteUnstoredEvents(input, ctx.call)),
  ),
});
