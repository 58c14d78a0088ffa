import type { DescMethod, DescService, MessageInitShape, MessageShape } from "@bufbuild/protobuf";
import type { services } from "@faultline/proto";
import type { ServiceError } from "./service-error.ts";

/** The context of a call: everything but its request. */
export interface Call {
  /** The caller's session token or personal access token. Absent: not given. */
  readonly token?: string | undefined;
  /** The sender's address, by which tokens of nobody are counted. Absent: not known, and they are not. */
  readonly clientAddress?: string | undefined;
  /** Aborted when the caller no longer waits. */
  readonly signal?: AbortSignal | undefined;
}

/** The methods of one method kind, as functions of a request and a context. */
type Method<M extends DescMethod, Context> = M["methodKind"] extends "server_streaming"
  ? (request: MessageShape<M["input"]>, context: Context) => AsyncIterable<MessageInitShape<M["output"]>>
  : (request: MessageShape<M["input"]>, context: Context) => Promise<MessageInitShape<M["output"]>>;

/** A service as an object of functions, one a method. They throw ServiceError. */
export type Handlers<S extends DescService, Context = Call> = {
  readonly [K in keyof S["method"]]: S["method"][K] extends DescMethod ? Method<S["method"][K], Context> : never;
};

/** The core's services, callable in the same process: each call is authenticated and authorised as over gRPC. */
export type Core = { readonly [K in keyof typeof services]: Handlers<(typeof services)[K]> };

/** Whose calls a limit counts: those of one personal access token, of all tokens of a person, or of a person's sessions. */
export type CallLimitName = "token" | "person" | "session";

/** The calls that a caller has left: of the limits that hold, the one with the least room. */
export interface CallAllowance {
  readonly name: CallLimitName;
  /** Calls that may come at once. */
  readonly limit: number;
  readonly remaining: number;
  /** Whole seconds until the limit is whole again; in a refusal, until a call may pass. */
  readonly resetSeconds: number;
  /** All limits that hold: so many calls at once, and as many in so many seconds. */
  readonly policies: readonly { readonly name: CallLimitName; readonly limit: number; readonly seconds: number }[];
  /** RATE_LIMITED. Absent: the call may pass. */
  readonly refusal?: ServiceError;
}

/** Asks whether a call would be let through, without making it: a door then refuses before it looks at the rest. */
export interface Access {
  /**
   * Takes one call from the limits of its token and person, for a door that is not gRPC, which does so itself. Refuses as the
   * call would by its token; undefined where there is no limit, or no token.
   */
  spend(call: Call): Promise<CallAllowance | undefined>;

  /**
   * Refuses as the call would: with a reason about the token, with PROJECT_NOT_FOUND, or with FORBIDDEN. `method` is
   * `Service.Method`; `names` are the project and the user of the request, where the method has them.
   */
  check(
    method: string,
    names: { readonly projectId: number | undefined; readonly userId: number | undefined },
    call: Call,
  ): Promise<void>;
}
