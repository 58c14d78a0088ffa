import { getOption, type DescMethod, type DescService } from "@bufbuild/protobuf";
import { ServiceError, type BackendCall, type Capabilities, type ErrorBackend, type Handlers } from "@faultline/plugin";
import { capability, CapabilitiesSchema, ErrorReason } from "@faultline/proto";
import type { CoreCall } from "../access/guard.ts";
import type { ProjectDirectory } from "../projects/project-directory.ts";

/** Finds the backend of a call's project, with the context of a call to it. Refuses if error tracking is off. */
export type FindBackend = (call: CoreCall) => Promise<readonly [ErrorBackend, BackendCall]>;

export function backendOf(projects: ProjectDirectory): FindBackend {
  return ({ grant, caller: { user }, signal }) =>
    projects.backend(grant.project, { userId: user.id, username: user.username, signal });
}

/** The methods of a service that answer once; streams need separate code. */
type Unary<S extends DescService> = {
  [K in keyof S["method"]]: S["method"][K]["methodKind"] extends "unary" ? K : never;
}[keyof S["method"]];

type AnyMethod = (request: unknown, call: BackendCall) => Promise<unknown>;

/**
 * Forwards the calls of a service to the backend of their project, or to the part of it that `partOf` returns. If the
 * backend lacks a method, the call is refused with NOT_SUPPORTED_BY_BACKEND.
 */
export function forwarded<S extends DescService>(
  service: S,
  find: FindBackend,
  partOf: (backend: ErrorBackend) => object | undefined = (backend) => backend,
): Pick<Handlers<S, CoreCall>, Unary<S>> {
  const forward = (method: DescMethod) => async (request: unknown, call: CoreCall) => {
    const [backend, carried] = await find(call);
    const part = partOf(backend) as Readonly<Record<string, AnyMethod | undefined>> | undefined;
    const run = part?.[method.localName];
    if (!run) throw notSupported(method, backend);
    return run.call(part, request, carried);
  };
  const unary = service.methods.filter(({ methodKind }) => methodKind === "unary");
  return Object.fromEntries(unary.map((method) => [method.localName, forward(method)])) as unknown as Pick<
    Handlers<S, CoreCall>,
    Unary<S>
  >; // built from the list of methods that the type is made of
}

/**
 * The code of a service that a plugin serves. If a method names a capability that the backend of the project lacks, the
 * call is refused with NOT_SUPPORTED_BY_BACKEND.
 */
export function whereSupported<S extends DescService>(
  service: S,
  find: FindBackend,
  handlers: Handlers<S, CoreCall>,
): Handlers<S, CoreCall> {
  const code = handlers as unknown as Readonly<Record<string, (request: unknown, call: CoreCall) => unknown>>;
  const bounded = service.methods
    .filter((method) => getOption(method, capability) !== "")
    .map((method) => [
      method.localName,
      async (request: unknown, call: CoreCall) => {
        const [backend] = await find(call);
        if (!capabilityOf(method, backend).allowed) throw notSupported(method, backend);
        return code[method.localName]?.(request, call);
      },
    ]);
  return { ...handlers, ...Object.fromEntries(bounded) };
}

/** The refusal of a method that a backend lacks, in the words of the method's capability. */
export function notSupported(method: DescMethod, backend: ErrorBackend): ServiceError {
  const { reason } = capabilityOf(method, backend);
  return new ServiceError(ErrorReason.NOT_SUPPORTED_BY_BACKEND, reason ?? "The project's backend does not offer this.");
}

function capabilityOf(method: DescMethod, { capabilities }: ErrorBackend): NonNullable<Capabilities["read"]> {
  const name = CapabilitiesSchema.fields.find((field) => field.name === getOption(method, capability))?.localName;
  return (capabilities as Readonly<Record<string, Capabilities["read"]>>)[name ?? ""] ?? {};
}
