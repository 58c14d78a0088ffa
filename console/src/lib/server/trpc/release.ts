import {
  GetSessionStatsRequestSchema,
  GetSessionStatsResponseSchema,
  ListReleasesRequestSchema,
  ListReleasesResponseSchema,
} from "@faultline/proto";
import { core } from "#lib/server/core.ts";
import { json, projectProcedure, router } from "./procedures.ts";

export const releaseRouter = router({
  list: projectProcedure(ListReleasesRequestSchema).query(async ({ ctx, input }) =>
    json(ListReleasesResponseSchema, await core.releases.listReleases(input, ctx.call)),
  ),
  sessionStats: projectProcedure(GetSessionStatsRequestSchema).query(async ({ ctx, input }) =>
    json(GetSessionStatsResponseSchema, await core.releases.getSessionStats(input, ctx.call)),
  ),
});
