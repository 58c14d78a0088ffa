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
 * The addresses of what is not kept, below each path of DSNs (protocol reference, section 7.4). Their senders get the
 * answer that lets them go on, and the project counts what it left aside.
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
    ...otlpRoutes(`${project}/otlp`), // as it was before
  ];
}

/** The addresses of OpenTelemetry's exporters below `path`; where it names no project, the key's own is meant. */
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
  /** Its body with the type. Absent: it has none. */
  readonly body?: (context: RequestContext) => readonly [contentType: string, text: string];
  readonly reason?: LeftAside["leftAside"];
  /** Scripts report check-ins with GET, too. */
  readonly takesGet?: true;
}

/** For the dump of a native program: its senders show the id of the report. */
const dump: Answer = { status: 200, reason: "minidump", body: () => ["text/plain", randomUUID()] };

const checkIn: Answer = { status: 202, takesGet: true };

/** For an export of OpenTelemetry: an empty message says that all was taken, and exporters print any other one. */
const otlp: Answer = {
  status: 200,
  body: ({ request }) =>
    request.headers["content-type"]?.startsWith("application/json")
      ? ["application/json", "{}"]
      : ["application/x-protobuf", ""],
};

/** The body is not read: Node discards what still arrives of it after the answer, as after a refusal. */
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
