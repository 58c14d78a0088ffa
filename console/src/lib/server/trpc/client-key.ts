import {
  CreateClientKeyRequestSchema,
  CreateClientKeyResponseSchema,
  DeleteClientKeyRequestSchema,
  DeleteClientKeyResponseSchema,
  ListClientKeysRequestSchema,
  ListClientKeysResponseSchema,
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
  delete: projectProcedure(DeleteClientKeyRequestSchema).mutation(async ({ ctx, input }) =>
    json(DeleteClientKeyResponseSchema, await core.clientKeys.deleteClientKey(input, ctx.call)),
  ),
});
