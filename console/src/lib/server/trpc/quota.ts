import {
  GetDefaultQuotaRequestSchema,
  GetDefaultQuotaResponseSchema,
  GetQuotaRequestSchema,
  GetQuotaResponseSchema,
  ListQuotasRequestSchema,
  ListQuotasResponseSchema,
  UpdateDefaultQuotaRequestSchema,
  UpdateDefaultQuotaResponseSchema,
  UpdateQuotaRequestSchema,
  UpdateQuotaResponseSchema,
} from "@faultline/proto";
import { core } from "#lib/server/core.ts";
import { json, message, projectProcedure, router, signedInProcedure } from "./procedures.ts";

export const quotaRouter = router({
  get: projectProcedure(GetQuotaRequestSchema).query(async ({ ctx, input }) =>
    json(GetQuotaResponseSchema, await core.quotas.getQuota(input, ctx.call)),
  ),
  update: projectProcedure(UpdateQuotaRequestSchema).mutation(async ({ ctx, input }) =>
    json(UpdateQuotaResponseSchema, await core.quotas.updateQuota(input, ctx.call)),
  ),
  list: signedInProcedure
    .input(message(ListQuotasRequestSchema))
    .query(async ({ ctx, input }) => json(ListQuotasResponseSchema, await core.quotas.listQuotas(input, ctx.call))),
  getDefault: signedInProcedure
    .input(message(GetDefaultQuotaRequestSchema))
    .query(async ({ ctx, input }) =>
      json(GetDefaultQuotaResponseSchema, await core.quotas.getDefaultQuota(input, ctx.call)),
    ),
  updateDefault: signedInProcedure
    .input(message(UpdateDefaultQuotaRequestSchema))
    .mutation(async ({ ctx, input }) =>
      json(UpdateDefaultQuotaResponseSchema, await core.quotas.updateDefaultQuota(input, ctx.call)),
    ),
});
