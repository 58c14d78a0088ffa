import {
  create,
  type DescMethod,
  type DescService,
  type DescMessage,
  type MessageInitShape,
  type MessageShape,
} from "@bufbuild/protobuf";
import type { Call, Core, Handlers, Log } from "@faultline/plugin";
import { services } from "@faultline/proto";
import { OpenWatches } from "./access/open-watches.ts";
import type { CoreCall, Guard } from "./access/guard.ts";
import type { AuditLog } from "./audit/audit-log.ts";
import { storageRefusal } from "../storage/database/storage-failure.ts";

/** The services' own code, one entry a service. */
export type CoreHandlers = { readonly [K in keyof typeof services]: Handlers<(typeof services)[K], CoreCall> };

type AnyHandler = (request: MessageShape<DescMessage>, context: unknown) => unknown;

/** What stands around the services' own code. */
interface Walls {
  readonly guard: Guard;
  readonly audit: AuditLog;
  readonly log: Log;
}

/**
 * Puts authentication and authorisation before every method, so that no door of the product can forget them. A call that
 * the database refuses as a whole, as on a full disk, is told so.
 */
export function guardedCore(handlers: CoreHandlers, walls: Walls): Core {
  const watches = new OpenWatches();
  const guarded = (service: DescService, inner: Record<string, AnyHandler>) =>
    Object.fromEntries(
      service.methods.map((method) => {
        const handler = inner[method.localName];
        if (!handler) throw new Error(`${service.typeName}.${method.name} has no handler`);
        return [
          method.localName,
          method.methodKind === "server_streaming"
            ? guardedStream(method, handler, walls.guard, watches)
            : guardedMethod(method, handler, walls),
        ];
      }),
    );
  return Object.fromEntries(
    Object.entries(services).map(([key, service]) => [
      key,
      guarded(service, handlers[key as keyof Core] as unknown as Record<string, AnyHandler>),
    ]),
  ) as unknown as Core; // one function a method, made from the same list of services the type is made of
}

const nameOf = (method: DescMethod) => `${method.parent.name}.${method.name}`;

function guardedMethod(method: DescMethod, handler: AnyHandler, { guard, audit, log }: Walls) {
  const name = nameOf(method);
  return async (request: MessageShape<DescMessage>, call: Call) => {
    try {
      const admitted = await guard.admit(name, request, call);
      const response = create(method.output, (await handler(request, admitted)) as MessageInitShape<DescMessage>);
      await audit.note(method, request, response, admitted);
      return response;
    } catch (error) {
      throw refusalOf(error, { log, method: name });
    }
  };
}

/** What doors ask the guard before they read a request, or before they make its call. */
export function doorChecks({
  guard,
  log,
}: Pick<Walls, "guard" | "log">): Pick<Guard, "checkToken" | "check" | "spend"> {
  const inWords = async <T>(method: string, answer: Promise<T>): Promise<T> => {
    try {
      return await answer;
    } catch (error) {
      throw refusalOf(error, { log, method });
    }
  };
  return {
    checkToken: (method, call) => inWords(method, guard.checkToken(method, call)),
    check: (method, names, call) => inWords(method, guard.check(method, names, call)),
    spend: (call) => inWords("any", guard.spend(call)),
  };
}

/** What the caller gets: a failure of the database becomes a refusal in words, and a line of the log. */
function refusalOf(error: unknown, { log, method }: { log: Log; method: string }): unknown {
  const refusal = storageRefusal(error);
  if (refusal !== error) log.error({ err: error, method }, "the database refused a call");
  return refusal;
}

/** How often a watching call is asked again whether it is still allowed. Costs a look into memory. */
const recheckMs = 500;

/**
 * A stream ends within a second after its caller lost the right to it. Its next message is not waited for then: a
 * handler that gathers changes for a second would end too late, and would tell them.
 */
function guardedStream(method: DescMethod, handler: AnyHandler, guard: Guard, watches: OpenWatches) {
  const name = nameOf(method);
  return async function* (request: MessageShape<DescMessage>, call: Call) {
    const admitted = await guard.admit(name, request, call);
    const close = watches.begin(admitted.caller.user.id);
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
      stream.return?.().catch(() => undefined); // it is over for the caller, who was told why
    }
  };
}
