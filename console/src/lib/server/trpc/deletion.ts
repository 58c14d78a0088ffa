import {
  CreateDeletionRequestSchema,
  CreateDeletionResponseSchema,
  EndDiscardRequestSchema,
  EndDiscardResponseSchema,
  GetDeletionRequestSchema,
  GetDeletionResponseSchema,
  ListDeletionsRequestSchema,
  ListDeletionsResponseSchema,
  ListDiscardsRequestSchema,
  ListDiscardsResponseSchema,
  UndoDeletionRequestSchema,
  UndoDeletionResponseSchema,
} from "@faultline/proto";
import { core } from "#lib/server/core.ts";
import { json, projectProcedure, router } from "./procedures.ts";

export const deletionRouter = router({
  create: projectProcedure(CreateDeletionRequestSchema).mutation(async ({ ctx, input }) =>
    json(CreateDeletionResponseSchema, await core.deletions.createDeletion(input, ctx.call)),
  ),
  get: projectProcedure(GetDeletionRequestSchema).query(async ({ ctx, input }) =>
    json(GetDeletionResponseSchema, await core.deletions.getDeletion(input, ctx.call)),
  ),
  list: projectProcedure(ListDeletionsRequestSchema).query(async ({ ctx, input }) =>
    json(ListDeletionsResponseSchema, await core.deletions.listDeletions(input, ctx.call)),
  ),
  undo: projectProcedure(UndoDeletionRequestSchema).mutation(async ({ ctx, input }) =>
    json(UndoDeletionResponseSchema, await core.deletions.undoDeletion(input, ctx.call)),
  ),
  discards: projectProcedure(ListDiscardsRequestSchema).query(async ({ ctx, input }) =>
    json(ListDiscardsResponseSchema, await core.deletions.listDiscards(input, ctx.call)),
  ),
  endDiscard: projectProcedure(EndDiscardRequestSchema).mutation(async ({ ctx, input }) =>
    json(EndDiscardResponseSchema, await core.deletions.endDiscard(input, ctx.call)),
  ),
});
