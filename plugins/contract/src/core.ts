import type { DescMethod, DescService, MessageInitShape, MessageShape } from "@bufbuild/protobuf";
import type {
  AccountService,
  AuditService,
  ClientKeyService,
  DeletionService,
  DeprecationService,
  ErrorService,
  IngestService,
  InstanceService,
  MemberRoleService,
  MemberService,
  OutcomeService,
  ProjectService,
  ReleaseService,
  SettingsService,
  UserService,
} from "@faultline/proto";

/** What comes with a call besides its request. */
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
export interface Core {
  readonly account: Handlers<typeof AccountService>;
  readonly user: Handlers<typeof UserService>;
  readonly member: Handlers<typeof MemberService>;
  readonly memberRole: Handlers<typeof MemberRoleService>;
  readonly audit: Handlers<typeof AuditService>;
  readonly instance: Handlers<typeof InstanceService>;
  readonly deprecation: Handlers<typeof DeprecationService>;
  readonly project: Handlers<typeof ProjectService>;
  readonly settings: Handlers<typeof SettingsService>;
  readonly clientKey: Handlers<typeof ClientKeyService>;
  readonly error: Handlers<typeof ErrorService>;
  readonly deletion: Handlers<typeof DeletionService>;
  readonly release: Handlers<typeof ReleaseService>;
  readonly outcome: Handlers<typeof OutcomeService>;
  readonly ingest: Handlers<typeof IngestService>;
}

/** Asks whether a call would be let through, without making it: a door then refuses before it looks at the rest. */
export interface Access {
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
