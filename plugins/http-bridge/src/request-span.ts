import type { IncomingMessage, ServerResponse } from "node:http";
import type { Span, Tracing } from "@faultline/plugin";
import type { Route } from "./request-context.ts";

/**
 * Begins the span of a request. The console's pages get its context in place of the client's. Names follow
 * OpenTelemetry's semantic conventions 1.45.
 */
export function beginRequest(tracing: Tracing, request: IncomingMessage): Span {
  const { traceparent } = request.headers;
  const span = tracing.begin("HTTP", {
    request: { traceparent: typeof traceparent === "string" ? traceparent : undefined },
    attributes: { "http.request.method": methodOf(request) },
  });
  request.headers["traceparent"] = span.traceparent;
  return span;
}

/**
 * Ends the span; `route` is the bridge's route that answered. Neither path nor query is recorded, because they may hold
 * keys and names.
 */
export function endRequest(span: Span, response: ServerResponse, route: Route | undefined): void {
  const template = route ? templateOf(route.pattern) : "";
  const { headersSent, statusCode } = response;
  span.end({
    name: [methodOf(response.req), template || "page"].join(" "),
    isFailed: headersSent && statusCode >= 500,
    attributes: {
      ...(template !== "" && { "http.route": template }),
      ...(headersSent && { "http.response.status_code": statusCode }), // otherwise the client left before an answer
    },
  });
}

const methods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** The method, limited to known words: a client may send any word. */
function methodOf({ method = "" }: IncomingMessage): string {
  return methods.has(method) ? method : "_OTHER";
}

/** The path from which addresses.ts made the pattern, such as `/api/:project/store`. */
function templateOf({ source }: RegExp): string {
  return source
    .replaceAll("\\/", "/")
    .replaceAll("\\.", ".")
    .replace(/^\^/, "")
    .replace(/(\/\?\$|\(\/\|\$\))$/, "")
    .replaceAll(/\(\?<(\w+)>\[\^\/\]\+\)/g, ":$1");
}
