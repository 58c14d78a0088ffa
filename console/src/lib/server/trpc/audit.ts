import { ListAuditEventsRequestSchema, ListAuditEventsResponseSchema } from "@faultline/proto";
import { core } from "#lib/server/core.ts";
import { json, message, router, signedInProcedure } from "./procedures.ts";

export const auditRouter = router({
  list: signedInProcedure
    .input(message(ListAuditEventsRequestSchema))
    .query(async ({ ctx, input }) =>
      json(ListAuditEventsResponseSchema, await core.audit.listAuditEvents(input, ctx.call)),
    ),
});
