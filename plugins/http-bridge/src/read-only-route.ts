import { pathPattern } from "./path-pattern.ts";
import { methodNotAllowed } from "./rest/method-not-allowed.ts";
import type { Handler, Route } from "./request-context.ts";

/** An address for programs that is the same for everybody, so that it needs no token and can only be read. */
export function readOnly(path: string, handler: Handler): Route {
  const methods = { GET: handler, HEAD: handler };
  return { kind: "api", pattern: pathPattern(path), methods, otherMethod: methodNotAllowed(methods) };
}
