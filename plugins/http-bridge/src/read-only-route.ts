import { pathPattern } from "./path-pattern.ts";
import { sendJson, type Handler, type Route } from "./request-context.ts";

/** An address for programs that is the same for everybody, so that it needs no token and can only be read. */
export function readOnly(path: string, handler: Handler): Route {
  return {
    kind: "api",
    pattern: pathPattern(path),
    methods: { GET: handler, HEAD: handler },
    otherMethod: async ({ response }) => {
      response.setHeader("allow", "GET, HEAD");
      sendJson(response, 405, { error: "405 Not Allowed" });
    },
  };
}
