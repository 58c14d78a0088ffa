import {
  create,
  type DescMethod,
  type DescService,
  type DescMessage,
  type MessageInitShape,
  type MessageShape,
} from "@bufbuild/protobuf";
import type { Call, Core, Handlers } from "@faultline/plugin";
import {
  AccountService,
  ClientKeyService,
  ErrorService,
  IngestService,
  OutcomeService,
  ProjectService,
  ReleaseService,
  SettingsService,
} from "@faultline/proto";
import type { Caller, CallerDirectory } from "./access/caller.ts";
import { authorise, needs } from "./access/permissions.ts";

/** What a service's own code gets with a call: the caller is known and may call the method. */
export interface CoreCall {
  readonly caller: Caller;
  readonly signal?: AbortSignal | undefined;
}

/** The services of the core; their order is of no meaning. */
export const coreServices = {
  account: AccountService,
  project: ProjectService,
  settings: SettingsService,
  clientKey: ClientKeyService,
  error: ErrorService,
  release: ReleaseService,
  outcome: OutcomeService,
  ingest: IngestService,
} as const satisfies { [K in keyof Core]: DescService };

/** The services' own code, one entry a service. */
export type CoreHandlers = { readonly [K in keyof typeof coreServices]: Handlers<(typeof coreServices)[K], CoreCall> };

type AnyHandler = (request: MessageShape<DescMessage>, context: unknown) => unknown;

/** Puts authentication and authorisation before every method, so that no door of the product can forget them. */
export function guardedCore(handlers: CoreHandlers, callers: CallerDirectory): Core {
  const guard = (service: DescService, inner: Record<string, AnyHandler>) =>
    Object.fromEntries(
      service.methods.map((method) => {
        const handler = inner[method.localName];
        if (!handler) throw new Error(`${service.typeName}.${method.name} has no handler`);
        return [method.localName, guardMethod(method, handler, callers)];
      }),
    );
  return Object.fromEntries(
    Object.entries(coreServices).map(([key, service]) => [
      key,
      guard(service, handlers[key as keyof Core] as unknown as Record<string, AnyHandler>),
    ]),
  ) as unknown as Core; // one function a method, made from the same list of services the type is made of
}

function guardMethod(method: DescMethod, handler: AnyHandler, callers: CallerDirectory) {
  const name = `${method.parent.name}.${method.name}`;
  const admit = async (call: Call): Promise<CoreCall> => {
    if (needs[name] === "public") return { caller: nobody, signal: call.signal };
    const caller = await callers.callerOf(call.token);
    authorise(name, caller);
    return { caller, signal: call.signal };
  };
  if (method.methodKind === "server_streaming") {
    return async function* (request: MessageShape<DescMessage>, call: Call) {
      yield* handler(request, await admit(call)) as AsyncIterable<unknown>;
    };
  }
  return async (request: MessageShape<DescMessage>, call: Call) =>
    create(method.output, (await handler(request, await admit(call))) as MessageInitShape<DescMessage>);
}

/** The caller of public methods; it may do nothing else. */
const nobody: Caller = {
  user: { id: 0, username: "", name: "", passwordHash: "", isAdmin: false, createdAt: 0 } as Caller["user"],
  scopes: [],
};
