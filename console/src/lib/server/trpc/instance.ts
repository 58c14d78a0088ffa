import {
  DeleteDeadLettersRequestSchema,
  DeleteDeadLettersResponseSchema,
  GetHealthRequestSchema,
  GetHealthResponseSchema,
  GetIngestLagRequestSchema,
  GetIngestLagResponseSchema,
  GetInstanceRequestSchema,
  GetInstanceResponseSchema,
  GetOwnErrorReportingRequestSchema,
  GetOwnErrorReportingResponseSchema,
  ListDeadLettersRequestSchema,
  ListDeadLettersResponseSchema,
  ReplayDeadLettersRequestSchema,
  ReplayDeadLettersResponseSchema,
  RotateEncryptionKeyRequestSchema,
  RotateEncryptionKeyResponseSchema,
  UpdateOwnErrorReportingRequestSchema,
  UpdateOwnErrorReportingResponseSchema,
} from "@faultline/proto";
import { core } from "#lib/server/core.ts";
import { json, message, router, signedInProcedure } from "./procedures.ts";

export const instanceRouter = router({
  get: signedInProcedure
    .input(message(GetInstanceRequestSchema))
    .query(async ({ ctx, input }) => json(GetInstanceResponseSchema, await core.instance.getInstance(input, ctx.call))),
  health: signedInProcedure
    .input(message(GetHealthRequestSchema))
    .query(async ({ ctx, input }) => json(GetHealthResponseSchema, await core.instance.getHealth(input, ctx.call))),
  ownErrorReporting: signedInProcedure
    .input(message(GetOwnErrorReportingRequestSchema))
    .query(async ({ ctx, input }) =>
      json(GetOwnErrorReportingResponseSchema, await core.instance.getOwnErrorReporting(input, ctx.call)),
    ),
  updateOwnErrorReporting: signedInProcedure
    .input(message(UpdateOwnErrorReportingRequestSchema))
    .mutation(async ({ ctx, input }) =>
      json(UpdateOwnErrorReportingResponseSchema, await core.instance.updateOwnErrorReporting(input, ctx.call)),
    ),
  rotateEncryptionKey: signedInProcedure
    .input(message(RotateEncryptionKeyRequestSchema))
    .mutation(async ({ ctx, input }) =>
      json(RotateEncryptionKeyResponseSchema, await core.instance.rotateEncryptionKey(input, ctx.call)),
    ),
  ingestLag: signedInProcedure
    .input(message(GetIngestLagRequestSchema))
    .query(async ({ ctx, input }) =>
      json(GetIngestLagResponseSchema, await core.instance.getIngestLag(input, ctx.call)),
    ),
  deadLetters: signedInProcedure
    .input(message(ListDeadLettersRequestSchema))
    .query(async ({ ctx, input }) =>
      json(ListDeadLettersResponseSchema, await core.instance.listDeadLetters(input, ctx.call)),
    ),
  replayDeadLetters: signedInProcedure
    .input(message(ReplayDeadLettersRequestSchema))
    .mutation(async ({ ctx, input }) =>
      json(ReplayDeadLettersResponseSchema, await core.instance.replayDeadLetters(input, ctx.call)),
    ),
  deleteDeadLetters: signedInProcedure
    .input(message(DeleteDeadLettersRequestSchema))
    .mutation(async ({ ctx, input }) =>
      json(DeleteDeadLettersResponseSchema, await core.instance.deleteDeadLetters(input, ctx.call)),
    ),
});
