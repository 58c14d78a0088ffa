import {
  AskedProjectsSchema,
  ListAllErrorsRequestSchema,
  ListExternalProjectsRequestSchema,
  ListExternalProjectsResponseSchema,
  ProjectErrorsSchema,
  services,
} from "@faultline/proto";
import { core } from "#lib/server/core.ts";
import { procedures, readMs, type Procedures } from "./derived.ts";
import { json, message, router, signedInProcedure } from "./procedures.ts";

/** A part of the answer, under its name: in JSON a oneof is flat, which the derived type does not show. */
const listAllErrors = signedInProcedure.input(message(ListAllErrorsRequestSchema)).subscription(async function* ({
  ctx,
  input,
  signal = ctx.signal,
}) {
  for await (const { part } of core.errors.listAllErrors(input, { token: ctx.call.token, signal })) {
    if (part.case === "asked") yield { asked: json(AskedProjectsSchema, part.value) };
    if (part.case === "answer") yield { answer: json(ProjectErrorsSchema, part.value) };
  }
});

/** Changes nothing here, but the input of a query would stand in the address, and this one holds a token. */
const listExternalProjects = signedInProcedure
  .input(message(ListExternalProjectsRequestSchema))
  .mutation(async ({ ctx, input }) =>
    json(
      ListExternalProjectsResponseSchema,
      await core.settings.listExternalProjects(input, { ...ctx.call, timeoutMs: readMs }),
    ),
  );

type Derived = { readonly [K in keyof typeof services]: Procedures<(typeof services)[K]> };

const derived = Object.fromEntries(
  Object.entries(services).map(([name, service]) => [name, procedures(service, core[name as keyof typeof services])]),
) as unknown as Derived; // one for each service, as the type says

/** Every procedure the pages may call: `errors.listErrors` calls `ErrorService.ListErrors`. */
export const appRouter = router({
  ...derived,
  errors: { ...derived.errors, listAllErrors },
  settings: { ...derived.settings, listExternalProjects },
});

export type AppRouter = typeof appRouter;
