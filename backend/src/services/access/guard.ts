import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import { type Access, type AdmittedProject, type Call, type CallAllowance, invalidField } from "@faultline/plugin";
import {
  Role,
  type GetProjectRequest,
  type ReportEventsRequest,
  type ReportFeedbackRequest,
  type ReportSessionsRequest,
} from "@faultline/proto";
import type { CallLimits } from "./call-limits.ts";
import type { Caller, CallerDirectory } from "./caller.ts";
import type { Grant, Grants } from "./grants.ts";
import { clientSite } from "@faultline/plugin";
import { checkGrant, checkToken, seesKeys, type NeedOf } from "./permissions.ts";

/** The context that a service's code gets with a call: the caller is known and may call the method. */
export interface CoreCall {
  readonly caller: Caller;
  /** The caller's rights in the request's project; empty if the request names no project. */
  readonly grant: Grant;
  /** Whether the response may show client keys and DSNs. */
  readonly seesKeys: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** A call admitted before its request was read. */
export interface Admission {
  readonly call: CoreCall;
  /** Whether the admission includes the request. */
  covers(request: MessageShape<DescMessage>): boolean;
}

/** Decides who may call which method: first by the token, then by the role in each project that the request names. */
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

  /**
   * Admits a call that a plugin makes itself. The plugin declared the method, and roles in projects are not checked.
   */
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

  /** Admits a call by the project in its address; see `Access.admit`. */
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
   * Charges a call to the limits of its token and person, then checks its token alone because its request is not read
   * yet. Returns who is charged for the memory of the request: the person, or the network if the method needs no token.
   * `admit` checks roles in projects.
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

  /**
   * Measures the work of a call until the result is disposed of, and charges its caller. A plugin's call is charged to
   * nobody.
   */
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
    let grant = noGrant; // unchanged for an empty list, which the handler refuses
    for (const key of projects) {
      grant = await this.#grants.of(caller.user, key);
      checkGrant(need, grant, userId === caller.user.id);
    }
    return { caller, grant, seesKeys: seesKeys(need, caller), signal };
  }
}

/** The caller of public methods; all other methods refuse it. */
const nobody: Caller = {
  user: {
    id: 0,
    username: "",
    name: "",
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

/**
 * Refuses a request with a NUL in a text: SQL text ends at it, so a query would fail instead of finding nothing. Events
 * are exempt because we keep as much of them as we can. `field` is the name of the list if `request` is a list.
 */
function refuseNul(request: object, field?: string): void {
  if (String("$typeName" in request && request.$typeName).startsWith("faultline.v1.Report")) return;
  for (const [name, value] of Object.entries(request)) {
    const named = field ?? name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    if (typeof value === "string" && value.includes("\0")) {
      throw invalidField(named, "A text must not contain the character NUL.");
    }
    if (typeof value === "object" && value !== null && !ArrayBuffer.isView(value)) {
      refuseNul(value as object, Array.isArray(value) ? named : undefined);
    }
  }
}

/**
 * Divides the processor time of the event loop equally among the calls in progress, so that the total charge is the
 * time the loop worked. A call that works for long shares each moment with the calls that wait for it. Reading the
 * meter takes three microseconds.
 */
export class LoopTime {
  readonly #busyMs: () => number;
  #underWay = 0;
  /** The milliseconds that a call in progress since the start would be charged. */
  #ofEach = 0;
  #readAt: number;

  /** `busyMs` returns how long the loop has worked so far. */
  constructor(busyMs: () => number) {
    this.#busyMs = busyMs;
    this.#readAt = busyMs();
  }

  /** Begins a call. The returned function ends the call and returns the milliseconds charged to it. */
  begin(): () => number {
    this.#read();
    this.#underWay++;
    const from = this.#ofEach;
    return () => {
      this.#read();
      this.#underWay--;
      return this.#ofEach - from;
    };
  }

  #read(): void {
    const busy = this.#busyMs();
    if (this.#underWay > 0) this.#ofEach += Math.max(0, busy - this.#readAt) / this.#underWay;
    this.#readAt = busy;
  }
}

type AnyRequest = MessageShape<DescMessage>;

/** The projects that a request names, by id or path; empty for requests without such a field. */
function projectsNamed(request: AnyRequest): readonly (number | string)[] {
  switch (request.$typeName) {
    case "faultline.v1.GetProjectRequest":
      return [(request as GetProjectRequest).key.value ?? 0];
    case "faultline.v1.ReportEventsRequest":
      return distinctProjects((request as ReportEventsRequest).events);
    case "faultline.v1.ReportFeedbackRequest":
      return distinctProjects((request as ReportFeedbackRequest).feedback);
    case "faultline.v1.ReportSessionsRequest": {
      const { updates, aggregates } = request as ReportSessionsRequest;
      return distinctProjects([...updates, ...aggregates]);
    }
    default:
      if (!namesProject(request)) return [];
      return [request.projectId === 0 && request.projectPath ? request.projectPath : request.projectId];
  }
}

/** Replaces a project's path in a request with its id, so that handlers only read ids. */
export function nameById(request: AnyRequest, { id }: { readonly id: number }): void {
  if (namesProject(request) && request.projectId === 0 && request.projectPath) request.projectId = id;
}

function namesProject(request: AnyRequest): request is AnyRequest & { projectId: number; projectPath?: string } {
  return "projectId" in request && typeof request.projectId === "number";
}

/** The user that a request names; undefined for requests without such a field. */
function userNamed(request: AnyRequest): number | undefined {
  return "userId" in request && typeof request.userId === "number" ? request.userId : undefined;
}

function distinctProjects(items: readonly { readonly projectId: number }[]): number[] {
  return [...new Set(items.map(({ projectId }) => projectId))];
}
