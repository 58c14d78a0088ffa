import { randomUUID } from "node:crypto";
import { OutcomeKind } from "@faultline/proto";
import type { Handler, RequestContext, Route } from "../request-context.ts";
import { admitKey } from "./admission.ts";
import { refuseAnnounced } from "./body/read-body.ts";
import { ingestion } from "./ingestion.ts";
import { outcomeOf } from "./items/envelope-items.ts";
import { leftAside, type LeftAside } from "./items/left-aside.ts";
import { maxBodyBytes } from "./limits.ts";
import { RateLimitUse } from "./rate-limit-use.ts";

/**
 * The addresses for data that is not stored, below each path of DSNs (protocol reference, section 7.4). Senders get an
 * answer that lets them continue, and the project counts the discarded items.
 */
export function notKeptRoutes(dsnPath: string): Route[] {
  const project = `${dsnPath}/api/:project`;
  return [
    route(`${project}/minidump`, "error", dump),
    route(`${project}/unreal/:key`, "error", dump),
    route(`${project}/events/:event/attachments`, "attachment", { status: 201 }),
    route(`${project}/nel`, "security", { status: 200 }),
    route(`${project}/cron/:monitor`, "monitor", checkIn),
    route(`${project}/cron/:monitor/:key`, "monitor", checkIn),
    ...otlpRoutes(`${project}/integration/otlp`),
    ...otlpRoutes(`${project}/otlp`), // the former address
  ];
}

/** The addresses of OpenTelemetry exporters below `path`. Without a project in it, the project of the key applies. */
export function otlpRoutes(path: string): Route[] {
  return [
    route(`${path}/v1/traces`, "span", otlp),
    route(`${path}/v1/logs`, "log_item", otlp),
    route(`${path}/v1/metrics`, "trace_metric", otlp),
  ];
}

/** The answer of an address. */
interface Answer {
  readonly status: 200 | 201 | 202;
  /** The body with its type; the answer has no body if undefined. */
  readonly body?: (context: RequestContext) => readonly [contentType: string, text: string];
  readonly reason?: LeftAside["leftAside"];
  /** Whether GET is allowed: scripts also report check-ins with it. */
  readonly takesGet?: true;
}

/** For the dump of a native program, because its senders show the id of the report. */
const dump: Answer = { status: 200, reason: "minidump", body: () => ["text/plain", randomUUID()] };

const checkIn: Answer = { status: 202, takesGet: true };

/** For OpenTelemetry exports: an empty message means full success, and exporters print any other message. */
const otlp: Answer = {
  status: 200,
  body: ({ request }) =>
    request.headers["content-type"]?.startsWith("application/json")
      ? ["application/json", "{}"]
      : ["application/x-protobuf", ""],
};

/** The body is not read: Node discards the rest of it after the answer, like after a refusal. */
function route(path: string, category: string, { status, body, reason = "not_kept", takesGet }: Answer): Route {
  const handler: Handler = async (context) => {
    const admission = await admitKey(context);
    new RateLimitUse(context, admission).takeRequest();
    refuseAnnounced(context.request, maxBodyBytes.envelope.compressed);
    const outcome = outcomeOf(leftAside(reason), category);
    context.host.events.note({ projectId: admission.projectId, kind: OutcomeKind.LEFT_ASIDE, ...outcome });
    const [contentType, text] = body?.(context) ?? ["text/plain", ""];
    const length = String(Buffer.byteLength(text));
    context.response.writeHead(status, [...context.headers, "content-type", contentType, "content-length", length]);
    context.response.end(text);
  };
  return ingestion(path, category, { POST: handler, ...(takesGet && { GET: handler }) });
}
