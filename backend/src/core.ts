import {
  create,
  type DescMethod,
  type DescService,
  type DescMessage,
  type MessageInitShape,
  type MessageShape,
} from "@bufbuild/protobuf";
import type { Access, Call, Core, Handlers } from "@faultline/plugin";
import {
  AccountService,
  AuditService,
  ClientKeyService,
  DeprecationService,
  ErrorService,
  IngestService,
  InstanceService,
  MemberRoleService,
  MemberService,
  OutcomeService,
  ProjectService,
  ReleaseService,
  Role,
  SettingsService,
  UserService,
} from "@faultline/proto";
import type { Caller, CallerDirectory } from "./access/caller.ts";
import type { Grant, Grants } from "./access/grants.ts";
import { OpenWatches } from "./access/open-watches.ts";
import { checkGrant, checkToken, needOf } from "./access/permissions.ts";
import { refuseNul } from "./access/refuse-nul.ts";
import { projectsNamed, userNamed } from "./access/request-fields.ts";
import type { AuditLog } from "./audit/audit-log.ts";

/** What a service's own code gets with a call: the caller is known and may call the method. */
export interface CoreCall {
  readonly caller: Caller;
  /** What the caller may do in the request's project; nothing where the request names none. */
  readonly grant: Grant;
  readonly signal?: AbortSignal | undefined;
}

/** The services of the core; their order is of no meaning. */
export const coreServices = {
  account: AccountService,
  user: UserService,
  member: MemberService,
  memberRole: MemberRoleService,
  audit: AuditService,
  instance: InstanceService,
  deprecation: DeprecationService,
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

/** Decides who may call what: the token first, then the role in each project the request names. */
export class Guard implements Access {
  readonly #callers: CallerDirectory;
  readonly #grants: Grants;

  constructor(callers: CallerDirectory, grants: Grants) {
    this.#callers = callers;
    this.#grants = grants;
  }

  /** Refuses, or answers what the handler gets. */
  async admit(method: string, request: MessageShape<DescMessage>, call: Call): Promise<CoreCall> {
    refuseNul(request);
    return this.#admit(method, projectsNamed(request), userNamed(request), call);
  }

  async check(method: string, { projectId, userId }: Parameters<Access["check"]>[1], call: Call): Promise<void> {
    await this.#admit(method, [projectId ?? 0], userId, call);
  }

  async #admit(
    method: string,
    projects: readonly (number | string)[],
    userId: number | undefined,
    { token, signal }: Call,
  ): Promise<CoreCall> {
    const need = needOf(method);
    if (need.who === "anyone") return { caller: nobody, grant: noGrant, signal };
    const caller = await this.#callers.callerOf(token);
    checkToken(need, caller);
    if (need.who !== "member") return { caller, grant: noGrant, signal };
    let grant = noGrant; // and stays so for a list without items, which the handler refuses
    for (const key of projects) {
      grant = await this.#grants.of(caller.user, key);
      checkGrant(need, grant, userId === caller.user.id);
    }
    return { caller, grant, signal };
  }
}

/** Puts authentication and authorisation before every method, so that no door of the product can forget them. */
export function guardedCore(handlers: CoreHandlers, guard: Guard, audit: AuditLog): Core {
  const watches = new OpenWatches();
  const guarded = (service: DescService, inner: Record<string, AnyHandler>) =>
    Object.fromEntries(
      service.methods.map((method) => {
        const handler = inner[method.localName];
        if (!handler) throw new Error(`${service.typeName}.${method.name} has no handler`);
        return [
          method.localName,
          method.methodKind === "server_streaming"
            ? guardedStream(method, handler, guard, watches)
            : guardedMethod(method, handler, guard, audit),
        ];
      }),
    );
  return Object.fromEntries(
    Object.entries(coreServices).map(([key, service]) => [
      key,
      guarded(service, handlers[key as keyof Core] as unknown as Record<string, AnyHandler>),
    ]),
  ) as unknown as Core; // one function a method, made from the same list of services the type is made of
}

const nameOf = (method: DescMethod) => `${method.parent.name}.${method.name}`;

function guardedMethod(method: DescMethod, handler: AnyHandler, guard: Guard, audit: AuditLog) {
  const name = nameOf(method);
  return async (request: MessageShape<DescMessage>, call: Call) => {
    const admitted = await guard.admit(name, request, call);
    const response = create(method.output, (await handler(request, admitted)) as MessageInitShape<DescMessage>);
    await audit.note(name, request, response, admitted);
    return response;
  };
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

/** The caller of public methods; it may do nothing else. */
const nobody: Caller = {
  user: {
    id: 0,
    username: "",
    name: "",
    passwordHash: "",
    isAdmin: false,
    createdAt: 0,
    email: "",
    isBlocked: true,
    lastSignInAt: null,
  } as Caller["user"],
  scopes: [],
};

const noGrant: Grant = {
  project: { id: 0, path: "", name: "", monitorEnabled: false, createdAt: 0 } as Grant["project"],
  role: Role.UNSPECIFIED,
  permissions: new Set(),
};
