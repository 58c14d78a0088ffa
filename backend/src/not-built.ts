import type { DescService } from "@bufbuild/protobuf";
import { ServiceError, type Handlers } from "@faultline/plugin";
import { ErrorReason } from "@faultline/proto";
import type { CoreCall } from "./core.ts";

/** Handlers that refuse every call. */
export function notBuilt<S extends DescService>(service: S): Handlers<S, CoreCall> {
  const refuse = () => {
    throw new ServiceError(ErrorReason.NOT_SUPPORTED_BY_BACKEND, `${service.name} is not built yet.`);
  };
  return Object.fromEntries(service.methods.map((method) => [method.localName, refuse])) as unknown as Handlers<
    S,
    CoreCall
  >;
}
