import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import type { Access, AdmittedProject, Call, CallAllowance } from "@faultline/plugin";
import { Role } from "@faultline/proto";
import type { CallLimits } from "./call-limits.ts";
import type { LoopTime } from "./loop-time.ts";
import type { Caller, CallerDirectory } from "./caller.ts";
import type { Grant, Grants } from "./grants.ts";
import { clientSite } from "@faultline/plugin";
import { checkGrant, checkToken, seesKeys, type NeedOf } from "./permissions.ts";
import { refuseNul } from "./refuse-nul.ts";
import { projectsNamed, userNamed } from "./request-fields.ts";

/** The context that a service's own code gets with a call: the caller is known and may call the method. */
export interface CoreCall {
  readonly caller: Caller;
  /** The caller's rights in the request's project; none where the request names no project. */
  readonly grant: Grant;
  /** Whether the response may show client keys and DSNs. */
  readonly seesKeys: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** A call that was admitted before its method got the request. */
export interface Admission {
  readonly call: CoreCall;
  /** Whether the admission includes the request. */
  covers(request: MessageShape<DescMessage>): boolean;
}

/** Decides who may call which method: by the token first, then by the role in each project that the request names. */
export class Guard {
  readonly #callers: CallerDirectory;
  readonly #grants: Grants;
  readonly #limits: CallLimits;
  readonly #needOf: NeedOf;
  readonly #loopTime: LoopTime;

  constructor(parts: {
    callers: CallerDirectory;
    grants: Grants;
    limits: CallLimits;
    loopTime: LoopTime;
    needOf: NeedOf;
  }) {
    this.#callers = parts.callers;
    this.#grants = parts.grants;
    this.#limits = parts.limits;
    this.#loopTime = parts.loopTime;
    this.#needOf = parts.needOf;
  }

  /** Refuses the call, or returns the context for its handler. */
  async admit(method: string, request: MessageShape<DescMessage>, call: Call): Promise<CoreCall> {
    refuseNul(request);
    return this.#admit(method, projectsNamed(request), userNamed(request), call);
  }

  /** Admits a call that a plugin makes by itself. The plugin declared the method; roles in projects are not checked. */
  async admitPlugin(
    plugin: string,
    method: string,
    request: MessageShape<DescMessage>,
    call: Call,
  ): Promise<Admission> {
    refuseNul(request);
    const need = this.#needOf(method);
    const caller: Caller = { user: { ...nobody.user, username: `plugin:${plugin}`, isAdmin: true }, scopes: "session" };
    let grant = noGrant;
    for (const key of projectsNamed(request)) {
      if (need.who === "member" || typeof key === "string") grant = await this.#grants.of(caller.user, key);
    }
    return { call: { caller, grant, seesKeys: false, signal: call.signal }, covers: (one) => one === request };
  }

  /** Admits a call by what its address names, as `Access.admit` says. */
  async admitNamed(
    method: string,
    { project, userId }: Parameters<Access["admit"]>[1],
    call: Call,
  ): Promise<Admission & { readonly project: AdmittedProject | undefined }> {
    const admitted = await this.#admit(method, [project ?? 0], userId, call);
    // A method for administrators needs no role in the project, but the project must exist.
    const isNamed = project !== undefined && admitted.grant === noGrant;
    const grant = isNamed ? await this.#grants.of(admitted.caller.user, project) : admitted.grant;
    const found = project === undefined ? undefined : grant.project;
    return {
      call: admitted,
      project: found,
      covers(request) {
        refuseNul(request);
        const user = userNamed(request);
        const names = projectsNamed(request);
        return (
          names.every((named) => named === found?.id || named === found?.path) &&
          (user === undefined || user === userId)
        );
      },
    };
  }

  /**
   * Takes a call from the limits of its token and person, then refuses it by its token alone, as its request is not
   * read yet. Returns who is charged for the memory of the request: the person, or the network of a method that needs no
   * token. `admit` checks roles in projects.
   */
  async checkToken(method: string, call: Call): Promise<{ needsToken: boolean; holder: string }> {
    const need = this.#needOf(method);
    if (need.who === "anyone") return { needsToken: false, holder: clientSite(call.clientAddress ?? "") };
    const caller = await this.#callers.callerOf(call);
    const refusal = this.#limits.spend(caller, method)?.refusal;
    if (refusal) throw refusal;
    checkToken(need, caller);
    return { needsToken: true, holder: `user ${caller.user.id}` };
  }

  async spend(call: Call, count?: number): Promise<CallAllowance | undefined> {
    return call.token === undefined ? undefined : this.#limits.spend(await this.#callers.callerOf(call), "", count);
  }

  /** Measures the work of a call until the result is disposed of, and charges its caller; a plugin's own call is charged to nobody. */
  measure(caller: Caller, method: string, { isLarge }: { isLarge: boolean }): Disposable {
    const end = this.#loopTime.begin();
    return {
      [Symbol.dispose]: () => {
        const ms = end();
        if (caller.user.id !== 0) this.#limits.charge(caller, { method, ms, isLarge });
      },
    };
  }

  async #admit(
    method: string,
    projects: readonly (number | string)[],
    userId: number | undefined,
    call: Call,
  ): Promise<CoreCall> {
    const need = this.#needOf(method);
    const { signal } = call;
    if (need.who === "anyone") return { caller: nobody, grant: noGrant, seesKeys: false, signal };
    const caller = await this.#callers.callerOf(call);
    checkToken(need, caller);
    if (need.who !== "member") {
      const path = projects.find((key) => typeof key === "string"); // no role is needed, but the handler reads an id
      const grant = path === undefined ? noGrant : await this.#grants.of(caller.user, path);
      return { caller, grant, seesKeys: false, signal };
    }
    let grant = noGrant; // remains so for a list without items, which the handler refuses
    for (const key of projects) {
      grant = await this.#grants.of(caller.user, key);
      checkGrant(need, grant, userId === caller.user.id);
    }
    return { caller, grant, seesKeys: seesKeys(need, caller), signal };
  }
}

/** The caller of public methods; it may call no others. */
const nobody: Caller = {
  user: {
    id: 0,
    username: "",
    name: "",
    passwordHash: "",
    isAdmin: false,
    createdAt: 0,
    email: "",
    confirmedEmail: "",
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
