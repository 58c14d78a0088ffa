import type { DescService } from "@bufbuild/protobuf";
import type { Permission } from "@faultline/proto";
import type { Handlers } from "./core.ts";
import type { Host } from "./host/host.ts";

/** An admitted call: its caller is known and meets the method's option `needs`. */
export interface AdmittedCall {
  /** The user id is 0 if the method needs no token. */
  readonly caller: { readonly user: { readonly id: number; readonly username: string; readonly isAdmin: boolean } };
  /** The caller's rights in the project that the request names. The id is 0 if it names no project. */
  readonly grant: {
    readonly project: { readonly id: number; readonly path: string };
    readonly permissions: ReadonlySet<Permission>;
  };
  /** Whether the response may show client keys and DSNs. */
  readonly seesKeys: boolean;
  /** Aborted when the caller no longer waits. */
  readonly signal?: AbortSignal | undefined;
}

/** A gRPC service and the function that makes its code. */
export interface ServedService {
  readonly service: DescService;
  handlers(host: Host): Handlers<DescService, AdmittedCall>;
}

/**
 * Attaches the code of a service that a plugin serves. The core authenticates and authorizes each call by the options
 * of its method, records it in the audit log, and serves it over gRPC with health and reflection. `make` runs once,
 * before the plugin's `start`; the core answers only after it.
 */
export function serve<S extends DescService>(
  service: S,
  make: (host: Host) => Handlers<S, AdmittedCall>,
): ServedService {
  return { service, handlers: make as (host: Host) => Handlers<DescService, AdmittedCall> };
}
