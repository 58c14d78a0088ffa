import {
  create,
  getOption,
  type DescMethod,
  type DescMethodUnary,
  type DescService,
  type DescMessage,
  type MessageInitShape,
  type MessageShape,
} from "@bufbuild/protobuf";
import {
  ServiceError,
  type Access,
  type Call,
  type Clock,
  type Core,
  type Handlers,
  type Host,
  type Log,
  type Plugin,
} from "@faultline/plugin";
import { ErrorReason, large, services, SourceMapService } from "@faultline/proto";
import type { ServedService, StreamingMethod, UnaryMethod as ServedMethod } from "../host/grpc/served-service.ts";
import type { PluginHosts } from "../host/plugins/plugin-hosts.ts";
import { storageRefusal } from "../storage/database/storage-failure.ts";
import { LargeCalls, OpenWatches } from "./access/call-limits.ts";
import { type Admission, type CoreCall, type Guard, nameById } from "./access/guard.ts";
import { leastRoleOf } from "./access/permissions.ts";
import type { AuditLog } from "./audit/audit-log.ts";
import { whereSupported, type FindBackend } from "./errors/forwarded.ts";
import { templateOf } from "./audit/sentence.ts";

type AnyHandler = (request: MessageShape<DescMessage>, context: unknown) => unknown;
type AnyHandlers = Readonly<Record<string, AnyHandler>>;

/** A service and its code. */
export interface Implementation {
  readonly service: DescService;
  readonly handlers: AnyHandlers;
}

/** Pairs a service of the core with its code. */
export function implementation<S extends DescService>(service: S, handlers: Handlers<S, CoreCall>): Implementation {
  return { service, handlers: handlers as unknown as AnyHandlers }; // one function per method, checked by the type
}

/** The services of plugins, with their code. */
export function implementationsOf(
  plugins: readonly Plugin[],
  hosts: PluginHosts,
  find: FindBackend,
): readonly Implementation[] {
  return plugins.flatMap((plugin) =>
    (plugin.services ?? []).map(({ service, handlers }) =>
      implementation(service, whereSupported(service, find, handlers(hosts.of(plugin)))),
    ),
  );
}

/** A service with authentication, authorization and the audit log in front of its code. */
export interface GuardedService extends ServedService {
  readonly methods: Readonly<Record<string, UnaryMethod | StreamingMethod>>;
}

/** `admission` is the result of an earlier check if the caller was admitted before the request was read. */
type UnaryMethod = (...call: [...Parameters<ServedMethod>, admission?: Admission]) => ReturnType<ServedMethod>;

/** The checks and records around the services' code. */
interface Walls {
  readonly guard: Guard;
  readonly audit: AuditLog;
  readonly log: Log;
}

/**
 * Adds authentication, authorization and the audit log to every method, so that no entry point of the product can
 * forget them. If the database refuses all writes or reads (a full disk, for example), the call gets a refusal that
 * says so. Throws if a method has no code or no statement for the audit log, or if a service has code twice, so that
 * the service does not start.
 */
export function guardedServices(implementations: readonly Implementation[], walls: Walls): readonly GuardedService[] {
  const watches = new OpenWatches();
  const largeCalls = new LargeCalls();
  const served = new Set<DescService>();
  for (const { service } of implementations) {
    if (served.has(service)) throw new Error(`${service} has two implementations.`);
    served.add(service);
  }
  return implementations.map(({ service, handlers }) => ({
    service,
    methods: Object.fromEntries(
      service.methods.map((method) => {
        const handler = handlers[method.localName];
        if (!handler) throw new Error(`${method} has no handler.`);
        return [
          method.localName,
          method.methodKind === "server_streaming"
            ? guardedStream(method, handler, walls.guard, watches)
            : guardedMethod(method, handler, { ...walls, largeCalls }),
        ];
      }),
    ),
  }));
}

/** The services of `faultline.v1` by their names in code. Throws if a service is missing. */
export function coreOf(guarded: readonly GuardedService[]): Core {
  const methodsOf = (service: DescService) => {
    const found = guarded.find((one) => one.service === service);
    if (!found) throw new Error(`${service} is served by nobody.`);
    return found.methods;
  };
  return Object.fromEntries(
    Object.entries(services).map(([key, service]) => [key, methodsOf(service)]),
  ) as unknown as Core; // one function per method, from the services that the type lists
}

/** Calls that mostly wait for their turn elsewhere: their part of the event loop's time would be the work of others. */
const waiting: ReadonlySet<DescMethod> = new Set([SourceMapService.method.assembleArtifactBundle]);

const nameOf = (method: DescMethod) => `${method.parent.name}.${method.name}`;

function guardedMethod(
  method: DescMethod,
  handler: AnyHandler,
  { guard, audit, log, largeCalls }: Walls & { readonly largeCalls: LargeCalls },
): UnaryMethod {
  const name = nameOf(method);
  const template = templateOf(method);
  const isLarge = getOption(method, large);
  const work = async (request: MessageShape<DescMessage>, admitted: CoreCall) => {
    using _ = waiting.has(method) ? undefined : guard.measure(admitted.caller, name, { isLarge });
    const response = create(method.output, (await handler(request, admitted)) as MessageInitShape<DescMessage>);
    if (template !== undefined) await audit.note({ method, template }, request, response, admitted);
    return response;
  };
  return async (init, call, admission) => {
    try {
      const request = create(method.input, init);
      const admitted = admission?.covers(request) ? admission.call : await guard.admit(name, request, call);
      nameById(request, admitted.grant.project);
      return await (isLarge ? largeCalls.run(admitted, () => work(request, admitted)) : work(request, admitted));
    } catch (error) {
      throw refusalOf(error, { log, method: name });
    }
  };
}

/** The checks of gRPC servers before they read a request. */
export function tokenCheck({ guard, log }: Pick<Walls, "guard" | "log">): Guard["checkToken"] {
  return (method, call) => inWords(log, method, guard.checkToken(method, call));
}

/** Calls methods as a plugin, on behalf of no person. */
export function invokeAs(
  plugin: Plugin,
  guarded: readonly GuardedService[],
  { guard, log }: Pick<Walls, "guard" | "log">,
): Host["invoke"] {
  return async (method, init, signal) => {
    const name = nameOf(method);
    if (plugin.calls?.includes(method) !== true) {
      throw new ServiceError(
        ErrorReason.FORBIDDEN,
        `The plugin ${plugin.name} does not list ${name} in its \`calls\`.`,
      );
    }
    const request = create(method.input, init);
    const call: Call = { signal };
    const admission = await inWords(log, name, guard.admitPlugin(plugin.name, name, request, call));
    return methodIn(guarded, method)(request, call, admission) as never; // the response of the same method
  };
}

function methodIn(guarded: readonly GuardedService[], method: DescMethodUnary): UnaryMethod {
  const service = guarded.find((one) => one.service === method.parent);
  return service?.methods[method.localName] as UnaryMethod; // a served service has every method
}

/**
 * The checks of servers other than gRPC before they read a request. If the body takes more than half a second to
 * arrive, the method checks again because its caller may have lost the right meanwhile. `clock` is monotonic.
 */
export function accessTo(
  guarded: readonly GuardedService[],
  { guard, log, clock }: Pick<Walls, "guard" | "log"> & { readonly clock: Clock },
): Access {
  return {
    spend: (call, count) => inWords(log, "any", guard.spend(call, count)),
    async admit(method, names, call) {
      const name = nameOf(method);
      const invoke = methodIn(guarded, method);
      const admission = await inWords(log, name, guard.admitNamed(name, names, call));
      const admittedAt = clock.now();
      const isFresh = () => clock.now() - admittedAt < recheckMs;
      return {
        project: admission.project,
        invoke: (request) => invoke(request, call, isFresh() ? admission : undefined),
      };
    },
    leastRole: leastRoleOf,
  };
}

async function inWords<T>(log: Log, method: string, answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw refusalOf(error, { log, method });
  }
}

/** The error for the caller. A database failure becomes a refusal with a sentence, and a line in the log. */
function refusalOf(error: unknown, { log, method }: { log: Log; method: string }): unknown {
  const refusal = storageRefusal(error);
  if (refusal !== error) log.error({ err: error, method }, "the database refused a call");
  return refusal;
}

/** How long an admission is valid before it is checked again. A check only reads memory. */
const recheckMs = 500;

/**
 * Ends a stream within a second after its caller loses the right to it, without waiting for its next message: a handler
 * that gathers changes for a second would end too late, and would still send them.
 */
function guardedStream(method: DescMethod, handler: AnyHandler, guard: Guard, watches: OpenWatches): StreamingMethod {
  const name = nameOf(method);
  const endsByItself = !method.name.startsWith("Watch"); // the others wait for changes, most of the time
  return async function* (init, call) {
    const request = create(method.input, init);
    const admitted = await guard.admit(name, request, call);
    nameById(request, admitted.grant.project);
    const close = watches.begin(admitted.caller.user.id);
    using _ = endsByItself ? guard.measure(admitted.caller, name, { isLarge: true }) : undefined;
    const ended = new AbortController();
    const signal = AbortSignal.any([ended.signal, ...(call.signal ? [call.signal] : [])]);
    let endWaiting = (_refusal: unknown): void => undefined;
    const timer = setInterval(() => {
      guard.admit(name, request, call).catch((refusal: unknown) => {
        ended.abort(refusal);
        endWaiting(refusal);
      });
    }, recheckMs);
    const stream = (handler(request, { ...admitted, signal }) as AsyncIterable<unknown>)[Symbol.asyncIterator]();
    try {
      for (;;) {
        if (ended.signal.aborted) throw ended.signal.reason;
        const next = await new Promise<IteratorResult<unknown>>((resolve, reject) => {
          endWaiting = reject;
          stream.next().then(resolve, reject);
        });
        if (next.done === true) return;
        yield next.value;
      }
    } finally {
      close();
      clearInterval(timer);
      ended.abort();
      stream.return?.().catch(() => undefined); // the caller already has the reason
    }
  };
}
