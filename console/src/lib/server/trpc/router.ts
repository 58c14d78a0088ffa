import {
  AskedProjectsSchema,
  ListAllErrorsRequestSchema,
  ListExternalProjectsRequestSchema,
  ListExternalProjectsResponseSchema,
  ProjectErrorsSchema,
  services,
} from "@faultline/proto";
import { core } from "#lib/server/core.ts";
import { openProcedures, procedures, readMs, type Procedures } from "./derived.ts";
import { createCallerFactory, json, message, router, signedInProcedure } from "./procedures.ts";

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

type Name = keyof typeof services;
type Derived = { readonly [K in Name]: Procedures<(typeof services)[K]> };

/** Something for each service; the type says what. */
const each = <T>(made: (name: Name) => object) =>
  Object.fromEntries(Object.keys(services).map((name) => [name, made(name as Name)])) as unknown as T;

const derived = each<Derived>((name) => procedures(services[name], core[name]));

const signedIn = {
  ...derived,
  errors: { ...derived.errors, listAllErrors },
  settings: { ...derived.settings, listExternalProjects },
};

/** Every procedure that scripts of pages may call: `errors.listErrors` calls `ErrorService.ListErrors`. */
export const appRouter = router(signedIn);

export type AppRouter = typeof appRouter;

const all = each<typeof signedIn>((name) => ({ ...signedIn[name], ...openProcedures(services[name], core[name]) }));

/**
 * Calls procedures within the server, those of visitors too. They have no address: visitors call them by the forms of pages,
 * whose number the bridge bounds before it reads them.
 */
export const createCaller = createCallerFactory(router(all));
