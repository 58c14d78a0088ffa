import { pathPattern } from "./path-pattern.ts";
import { sendJson, type Handler, type Route } from "./request-context.ts";

/** A route for load balancers and supervisors. */
export function health(path: string, handler: Handler): Route {
  return {
    kind: "health",
    pattern: pathPattern(path),
    methods: { GET: handler, HEAD: handler },
    otherMethod: async ({ response }) => {
      response.setHeader("allow", "GET, HEAD");
      sendJson(response, 405, { status: "method not allowed" });
    },
  };
}

/** The process answers. */
export const alive: Handler = async ({ response }) => sendJson(response, 200, { status: "ok" });

/** An event would be stored now: 200; otherwise 503. */
export const ready: Handler = async ({ response, host }) => {
  const isReady = await host.isReady();
  sendJson(response, isReady ? 200 : 503, { status: isReady ? "ready" : "not ready" });
};
