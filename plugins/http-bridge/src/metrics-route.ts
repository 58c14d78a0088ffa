import { createHash, timingSafeEqual } from "node:crypto";
import { pathPattern } from "./path-pattern.ts";
import { tokenOf } from "./read-request.ts";
import { isFromThisMachine } from "./this-machine.ts";
import { sendJson, type Handler, type Route, type Visit } from "./visit.ts";

/** What the service tells about itself, and to whom. */
export interface PublishedMetrics {
  /** Opens them to whoever shows it, wherever from. Absent: they are told on this machine alone. */
  readonly token: string | undefined;
  readonly contentType: string;
  text(): Promise<string>;
}

/** `/-/metrics`, for Prometheus. Whoever may not read it finds nothing there. */
export function metricsRoute(metrics: PublishedMetrics): Route {
  const tell =
    (answer: Handler): Handler =>
    async (visit) =>
      mayRead(visit, metrics.token) ? answer(visit) : sendJson(visit.response, 404, { error: "404 Not Found" });
  const text = tell(async ({ response }) => {
    const body = await metrics.text();
    response.writeHead(200, { "content-type": metrics.contentType, "content-length": Buffer.byteLength(body) });
    response.end(body);
  });
  return {
    kind: "health",
    pattern: pathPattern("/-/metrics"),
    methods: { GET: text, HEAD: text },
    otherMethod: tell(async ({ response }) => {
      response.setHeader("allow", "GET, HEAD");
      sendJson(response, 405, { error: "405 Method Not Allowed" });
    }),
  };
}

/** Who shows a token must show the right one; who shows none must be on this machine. */
function mayRead({ request }: Visit, token: string | undefined): boolean {
  const shown = tokenOf(request);
  if (shown !== undefined) return token !== undefined && isEqual(shown, token);
  return request.headers.authorization === undefined && isFromThisMachine(request);
}

function isEqual(one: string, other: string): boolean {
  const [a, b] = [one, other].map((text) => createHash("sha256").update(text).digest());
  return a !== undefined && b !== undefined && timingSafeEqual(a, b);
}
