import type {
  DescMessage,
  DescMethod,
  DescMethodUnary,
  DescService,
  MessageInitShape,
  MessageShape,
} from "@bufbuild/protobuf";
import type { services } from "@faultline/proto";
import type { ServiceError } from "./service-error.ts";

/** The context of a call: everything but its request. */
export interface Call {
  /** The caller's session token or personal access token. Undefined if the caller sent neither. */
  readonly token?: string | undefined;
  /** The sender's address, by which wrong tokens are counted. Wrong tokens from unknown addresses are not counted. */
  readonly clientAddress?: string | undefined;
  /** Aborted when the caller no longer waits. */
  readonly signal?: AbortSignal | undefined;
}

/** The methods of one method kind, as functions of a request and a context. */
type Method<M extends DescMethod, Context> = M["methodKind"] extends "server_streaming"
  ? (request: MessageShape<M["input"]>, context: Context) => AsyncIterable<MessageInitShape<M["output"]>>
  : (request: MessageShape<M["input"]>, context: Context) => Promise<MessageInitShape<M["output"]>>;

/** A service as an object with one function per method. The functions throw ServiceError. */
export type Handlers<S extends DescService, Context = Call> = {
  readonly [K in keyof S["method"]]: S["method"][K] extends DescMethod ? Method<S["method"][K], Context> : never;
};

/** A method as its callers see it: it takes the fields of the request and returns the whole response. */
type Callable<M extends DescMethod> = M["methodKind"] extends "server_streaming"
  ? (request: MessageInitShape<M["input"]>, call: Call) => AsyncIterable<MessageShape<M["output"]>>
  : (request: MessageInitShape<M["input"]>, call: Call) => Promise<MessageShape<M["output"]>>;

type Methods<S extends DescService> = {
  readonly [K in keyof S["method"]]: S["method"][K] extends DescMethod ? Callable<S["method"][K]> : never;
};

/** The core's services, callable in the same process. Each call is authenticated and authorized as over gRPC. */
export type Core = { readonly [K in keyof typeof services]: Methods<(typeof services)[K]> };

/** The limits that count calls: per personal access token, for all tokens of a person, or for a person's sessions. */
export type CallLimitName = "token" | "person" | "session";

/** The calls that a caller has left, by the limit with the least room. */
export interface CallAllowance {
  readonly name: CallLimitName;
  /** Calls that may come in a burst. */
  readonly limit: number;
  readonly remaining: number;
  /** Whole seconds until all calls are available again. In a refusal, until a call may pass. */
  readonly resetSeconds: number;
  /** All limits that apply: each allows `limit` calls in a burst, and refills as many in `seconds` seconds. */
  readonly policies: readonly { readonly name: CallLimitName; readonly limit: number; readonly seconds: number }[];
  /** RATE_LIMITED, or undefined if the call may pass. */
  readonly refusal?: ServiceError;
}

/** The project that an admitted request names. */
export interface AdmittedProject {
  readonly id: number;
  readonly path: string;
}

/** A request admitted by the names in its address, before the rest of it is read. */
export interface AdmittedRequest {
  /** Undefined if the names include no project. */
  readonly project: AdmittedProject | undefined;
  /** Makes the call. A request that names another project or user is checked again. */
  invoke(request: MessageInitShape<DescMessage>): Promise<MessageShape<DescMessage>>;
}

/** The lowest role that may call a method, from the method's option `needs`. */
export interface LeastRole {
  /** A role in the project that the request names, any user, or an administrator. */
  readonly role: "User" | "Guest" | "Reporter" | "Developer" | "Maintainer" | "Owner" | "Administrator";
  readonly scope: "read" | "write" | "upload";
}

/** The access checks for entrances other than gRPC, which call them before they read a request. */
export interface Access {
  /**
   * Takes `count` calls (default: 1) from the limits of the token and its person; all calls but the first may be a
   * debt. Undefined if there is no limit or no token.
   */
  spend(call: Call, count?: number): Promise<CallAllowance | undefined>;

  /**
   * Admits a call of the method, or refuses it with the method's own refusal: a reason about the token,
   * PROJECT_NOT_FOUND, or FORBIDDEN. `names` come from the address: a project by its id or path, and a user.
   */
  admit(
    method: DescMethodUnary,
    names: { readonly project: number | string | undefined; readonly userId: number | undefined },
    call: Call,
  ): Promise<AdmittedRequest>;

  /** Throws if no personal access token may call the method. */
  leastRole(method: DescMethodUnary): LeastRole;
}
