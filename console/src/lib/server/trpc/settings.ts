import {
  GetSettingsRequestSchema,
  GetSettingsResponseSchema,
  ListExternalProjectsRequestSchema,
  ListExternalProjectsResponseSchema,
  UpdateSettingsRequestSchema,
  UpdateSettingsResponseSchema,
} from "@faultline/proto";
import { core } from "#lib/server/core.ts";
import { json, projectProcedure, router } from "./procedures.ts";

// The external system is waited for 10 s; then the service says why it failed.
const connectMs = 12_000;

export const settingsRouter = router({
  get: projectProcedure(GetSettingsRequestSchema).query(async ({ ctx, input }) =>
    json(GetSettingsResponseSchema, await core.settings.getSettings(input, ctx.call)),
  ),
  update: projectProcedure(UpdateSettingsRequestSchema).mutation(async ({ ctx, input }) =>
    json(UpdateSettingsResponseSchema, await core.settings.updateSettings(input, ctx.call)),
  ),
  // Changes nothing here, but a query's input would stand in the address, and this one holds a token.
  listExternalProjects: projectProcedure(ListExternalProjectsRequestSchema).mutation(async ({ ctx, input }) =>
    json(
      ListExternalProjectsResponseSchema,
      await core.settings.listExternalProjects(input, { ...ctx.call, timeoutMs: connectMs }),
    ),
  ),
});
