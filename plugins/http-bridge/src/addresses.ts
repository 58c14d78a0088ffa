import { sendJson, type Handler, type Route } from "./request-context.ts";
import { refusedRequest } from "./rest/http-error.ts";

/** The pattern of a path; `:name` matches one part, and a trailing slash may follow. */
export function pathPattern(path: string): RegExp {
  return new RegExp(`^${path.replace(/:(\w+)/g, "(?<$1>[^/]+)").replaceAll(".", "\\.")}/?$`);
}

/**
 * Sorts operations by path, in the order of the document. Fixed parts sort before `:name`, so that the first pattern
 * that matches an address is the right one: `/errors/batch` before `/errors/:error_id`.
 */
export const inPathOrder = <O extends { readonly path: string; readonly verb: string }>(operations: readonly O[]) =>
  operations.toSorted(
    (one, other) => comparePaths(one.path, other.path) || verbs.indexOf(one.verb) - verbs.indexOf(other.verb),
  );

const verbs = ["GET", "POST", "PUT", "PATCH", "DELETE"];

function comparePaths(path: string, otherPath: string): number {
  const [parts, others] = [path.split("/"), otherPath.split("/")];
  for (const [at, part] of parts.entries()) {
    const other = others[at];
    if (part === other) continue;
    if (other === undefined) return 1;
    return Number(part.startsWith(":")) - Number(other.startsWith(":")) || (part < other ? -1 : 1);
  }
  return parts.length - others.length;
}

/** A read-only address for programs. It is the same for everybody, so it needs no token. */
export function readOnly(path: string, handler: Handler): Route {
  const methods = { GET: handler, HEAD: handler };
  return { kind: "api", pattern: pathPattern(path), methods, otherMethod: methodNotAllowed(methods) };
}

/** Answers an unsupported method with the list of supported methods. */
export function methodNotAllowed(methods: Readonly<Record<string, unknown>>): Handler {
  const allow = Object.keys(methods).join(", ");
  return async ({ response }) => {
    const { status, body } = refusedRequest(405, "METHOD_NOT_ALLOWED", { error: "405 Not Allowed" });
    response.setHeader("allow", allow);
    sendJson(response, status, body);
  };
}
