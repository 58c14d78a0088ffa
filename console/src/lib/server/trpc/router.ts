import { getOption, type DescMethod, type DescService, type MessageJsonType } from "@bufbuild/protobuf";
import type { GenService } from "@bufbuild/protobuf/codegenv2";
import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import type { TRPCMutationProcedure, TRPCQueryProcedure, TRPCSubscriptionProcedure } from "@trpc/server";
import {
  AskedProjectsSchema,
  ListAllErrorsRequestSchema,
  ListExternalProjectsRequestSchema,
  ListExternalProjectsResponseSchema,
  ProjectErrorsSchema,
  services,
  needs,
  Needs_Who,
  Permission,
} from "@faultline/proto";
import type { CallContext } from "@faultline/proto/grpc";
import { core } from "#lib/server/core.ts";
import type { JsonOf } from "#lib/messages.ts";
import { createCallerFactory, json, message, router, signedInProcedure, openProcedure } from "./procedures.ts";

/**
 * The procedures of a service: one for each method that people call, with the method's own name. A method without side
 * effects is a query, a stream is a subscription, and any other method is a mutation.
 */
type Procedures<S extends DescService> =
  S extends GenService<infer Methods> ? { readonly [K in keyof Methods & string]: ProcedureOf<Methods[K], K> } : never;

/**
 * Types do not show which methods lack side effects, but their names do: test/unit/permissions.test.ts compares them.
 */
type NameOfRead = `get${string}` | `list${string}` | `explain${string}` | "previewRegrouping";

type Method = Pick<DescMethod, "methodKind" | "input" | "output">;

type ProcedureOf<M extends Method, MethodName> = M["methodKind"] extends "server_streaming"
  ? TRPCSubscriptionProcedure<Def<M, AsyncIterable<JsonOf<M["output"]>, void, unknown>>>
  : MethodName extends NameOfRead
    ? TRPCQueryProcedure<Def<M, JsonOf<M["output"]>>>
    : TRPCMutationProcedure<Def<M, JsonOf<M["output"]>>>;

interface Def<M extends Method, Output> {
  readonly meta: object;
  readonly input: MessageJsonType<M["input"]>;
  readonly output: Output;
}

// The core waits 10 s for an external system, or 30 s for a change; then it reports the failure and its cause.
const readMs = 12_000;
const changeMs = 35_000;

type Client = Readonly<Record<string, (request: unknown, context: CallContext) => unknown>>;

/** Creates a service's procedures for signed-in people, which call its client. Only programs report events. */
function procedures<S extends DescService>(service: S, client: object): Procedures<S> {
  return proceduresOf(
    service.methods.filter((method) => !isForAnyone(method) && permissionOf(method) !== Permission.REPORT_EVENTS),
    client,
  );
}

/** Creates a service's other procedures, for visitors who sign in or open a link from a mail. */
function openProcedures<S extends DescService>(service: S, client: object): Procedures<S> {
  return proceduresOf(service.methods.filter(isForAnyone), client);
}

function proceduresOf<S extends DescService>(methods: readonly DescMethod[], client: object): Procedures<S> {
  const byName = methods.map((method) => [method.localName, procedure(method, client as Client)] as const);
  return Object.fromEntries(byName) as unknown as Procedures<S>; // created from the methods of the service
}

const isForAnyone = (method: DescMethod) => getOption(method, needs).who === Needs_Who.ANYONE;
const permissionOf = (method: DescMethod) => getOption(method, needs).permission;

function procedure(method: DescMethod, client: Client) {
  const call = client[method.localName];
  if (!call) throw new Error(`the client has no method ${method.localName}`);
  const withInput = (isForAnyone(method) ? openProcedure : signedInProcedure).input(message(method.input));
  if (method.methodKind === "server_streaming") {
    return withInput.subscription(async function* ({ ctx, input, signal = ctx.signal }) {
      const answers = call(input, { token: ctx.call.token, signal }) as AsyncIterable<never>;
      for await (const answer of answers) yield json(method.output, answer);
    });
  }
  const isRead = method.idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS;
  const timeoutMs = isRead ? readMs : changeMs;
  const run = async ({ ctx, input }: { ctx: { call: CallContext }; input: unknown }) =>
    json(method.output, await (call(input, { ...ctx.call, timeoutMs }) as Promise<never>));
  return isRead ? withInput.query(run) : withInput.mutation(run);
}

/** Takes a part of the answer by its name: a oneof is flat in JSON, which the derived type does not show. */
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

/** A mutation although it changes nothing: a query's input would be in the address, and this input holds a token. */
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

/** Creates an object for each service. */
const each = <T>(made: (name: Name) => object) =>
  Object.fromEntries(Object.keys(services).map((name) => [name, made(name as Name)])) as unknown as T;

const derived = each<Derived>((name) => procedures(services[name], core[name]));

const signedIn = {
  ...derived,
  errors: { ...derived.errors, listAllErrors },
  settings: { ...derived.settings, listExternalProjects },
};

/** Every procedure for scripts of pages: `errors.listErrors` calls `ErrorService.ListErrors`. */
export const appRouter = router(signedIn);

export type AppRouter = typeof appRouter;

const all = each<typeof signedIn>((name) => ({ ...signedIn[name], ...openProcedures(services[name], core[name]) }));

/**
 * Calls procedures within the server, including procedures for visitors. The latter have no address: visitors call them
 * through the forms of pages, and the bridge limits the number of forms before it reads them.
 */
export const createCaller = createCallerFactory(router(all));
