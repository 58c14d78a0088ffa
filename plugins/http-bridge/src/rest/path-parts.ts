import { ServiceError } from "@faultline/plugin";
import type { ErrorReason } from "@faultline/proto";
import { wholeNumber } from "./params.ts";
import type { RestCall } from "./rest.ts";

/** The id that stands at `:name` in the route. What is no id looks as if it did not exist: refused with `reason`. */
export function idInPath({ visit }: RestCall, name: string, reason: ErrorReason): number {
  const id = wholeNumber(visit.path[name]);
  if (id === undefined) throw new ServiceError(reason, `The path names no ${name}.`);
  return id;
}
