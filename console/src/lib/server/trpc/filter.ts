import {
  GetFiltersRequestSchema,
  GetFiltersResponseSchema,
  UpdateFiltersRequestSchema,
  UpdateFiltersResponseSchema,
} from "@faultline/proto";
import { core } from "#lib/server/core.ts";
import { json, projectProcedure, router } from "./procedures.ts";

export const filterRouter = router({
  get: projectProcedure(GetFiltersRequestSchema).query(async ({ ctx, input }) =>
    json(GetFiltersResponseSchema, await core.filters.getFilters(input, ctx.call)),
  ),
  update: projectProcedure(UpdateFiltersRequestSchema).mutation(async ({ ctx, input }) =>
    json(UpdateFiltersResponseSchema, await core.filters.updateFilters(input, ctx.call)),
  ),
});
