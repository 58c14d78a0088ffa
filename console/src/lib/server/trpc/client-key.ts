import {
  CreateClientKeyRequestSchema,
  CreateClientKeyResponseSchema,
  DeleteClientKeyRequestSchema,
  DeleteClientKeyResponseSchema,
  GetClientKeyRequestSchema,
  GetClientKeyResponseSchema,
  GetClientKeyTrafficRequestSchema,
  GetClientKeyTrafficResponseSchema,
  ListClientKeysRequestSchema,
  ListClientKeysResponseSchema,
  UpdateClientKeyRequestSchema,
  UpdateClientKeyResponseSchema,
} from "@faultline/proto";
import { core } from "#lib/server/core.ts";
import { json, projectProcedure, router } from "./procedures.ts";

export const clientKeyRouter = router({
  list: projectProcedure(ListClientKeysRequestSchema).query(async ({ ctx, input }) =>
    json(ListClientKeysResponseSchema, await core.clientKeys.listClientKeys(input, ctx.call)),
  ),
  create: projectProcedure(CreateClientKeyRequestSchema).mutation(async ({ ctx, input }) =>
    json(CreateClientKeyResponseSchema, await core.clientKeys.createClientKey(input, ctx.call)),
  ),
  get: projectProcedure(GetClientKeyRequestSchema).query(async ({ ctx, input }) =>
    json(GetClientKeyResponseSchema, await core.clientKeys.getClientKey(input, ctx.call)),
  ),
  update: projectProcedure(UpdateClientKeyRequestSchema).mutation(async ({ ctx, input }) =>
    json(UpdateClientKeyResponseSchema, await core.clientKeys.updateClientKey(input, ctx.call)),
  ),
  traffic: projectProcedure(GetClientKeyTrafficRequestSchema).query(async ({ ctx, input }) =>
    json(GetClientKeyTrafficResponseSchema, await core.clientKeys.getClientKeyTraffic(input, ctx.call)),
  ),
  delete: projectProcedure(DeleteClientKeyRequestSchema).mutation(async ({ ctx, input }) =>
    json(DeleteClientKeyResponseSchema, await core.clientKeys.deleteClientKey(input, ctx.call)),
  ),
});
