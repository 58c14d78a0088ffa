import { createHash, timingSafeEqual } from "node:crypto";
import { isIP } from "node:net";
import { tokenOf } from "./read-request.ts";
import { isFromThisMachine } from "./this-machine.ts";
import { sendJson, type Handler, type Route, type RequestContext } from "./request-context.ts";

/** The service's metrics, and the token to read them. */
export interface PublishedMetrics {
  /** Opens the metrics to any request with this token, from anywhere. If undefined, only this machine may read them. */
  readonly token: string | undefined;
  readonly contentType: string;
  text(): Promise<string>;
}

/** `/-/metrics`, for Prometheus. Callers that may not read it get the answer of a missing address. */
export function metricsRoute(metrics: PublishedMetrics, baseUrl: string | undefined): Route {
  const guarded =
    (answer: Handler): Handler =>
    async (context) =>
      mayRead(context, { token: metrics.token, baseUrl })
        ? answer(context)
        : sendJson(context.response, 404, { error: "404 Not Found" });
  const text = guarded(async ({ response }) => {
    const body = await metrics.text();
    response.writeHead(200, { "content-type": metrics.contentType, "content-length": Buffer.byteLength(body) });
    response.end(body);
  });
  return {
    kind: "health",
    pattern: /^\/-\/metrics$/, // exactly, so that a proxy's rule for this path covers it
    methods: { GET: text, HEAD: text },
    otherMethod: guarded(async ({ response }) => {
      response.setHeader("allow", "GET, HEAD");
      sendJson(response, 405, { error: "405 Method Not Allowed" });
    }),
  };
}

/**
 * A caller that sends a token must send the right token. Any other caller must be on this machine and use its own name
 * as the host.
 */
function mayRead(
  { request }: RequestContext,
  { token, baseUrl }: { token: string | undefined; baseUrl: string | undefined },
): boolean {
  const shown = tokenOf(request);
  if (shown !== undefined) return token !== undefined && isEqual(shown, token);
  const isOurs = isOwnName(request.headers.host, baseUrl);
  return request.headers.authorization === undefined && isOurs && isFromThisMachine(request);
}

/** A site that suddenly resolves to this machine (DNS rebinding) still sends its own name as the host. */
function isOwnName(host: string | undefined, baseUrl: string | undefined): boolean {
  const url = URL.parse(`http://${host}`);
  if (!url) return false;
  const { hostname } = url;
  return (
    hostname === "localhost" ||
    isIP(hostname.replace(/^\[|\]$/g, "")) !== 0 ||
    url.host === URL.parse(baseUrl ?? "")?.host
  );
}

function isEqual(one: string, other: string): boolean {
  const [a, b] = [one, other].map((text) => createHash("sha256").update(text).digest());
  return a !== undefined && b !== undefined && timingSafeEqual(a, b);
}
