import {
  GetSettingsRequestSchema,
  GetSettingsResponseSchema,
  UpdateSettingsRequestSchema,
  UpdateSettingsResponseSchema,
} from "@faultline/proto";
import { core } from "#lib/server/core.ts";
import { json, projectProcedure, router } from "./procedures.ts";

export const settingsRouter = router({
  get: projectProcedure(GetSettingsRequestSchema).query(async ({ ctx, input }) =>
    json(GetSettingsResponseSchema, await core.settings.getSettings(input, ctx.call)),
  ),
  update: projectProcedure(UpdateSettingsRequestSchema).mutation(async ({ ctx, input }) =>
    json(UpdateSettingsResponseSchema, await core.settings.updateSettings(input, ctx.call)),
  ),
});
