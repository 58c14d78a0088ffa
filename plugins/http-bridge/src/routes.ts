import {
  type Access,
  type HttpApi,
  invalidField,
  parseForeignJson,
  ServiceError,
  type HttpAnswer,
  type HttpApiRoute,
  type HttpCall,
} from "@faultline/plugin";
import { type RestOperation, decodedPart } from "@faultline/plugin/rest";
import { ErrorReason } from "@faultline/proto";
import { receiveEnvelope, receivePixel, receiveSecurityReports, receiveStore } from "./ingest/endpoints.ts";
import { ingestion } from "./ingest/ingestion.ts";
import { notKeptRoutes, otlpRoutes } from "./ingest/not-kept.ts";
import { receiveReport, sendReportDialog } from "./ingest/report-dialog/report-dialog.ts";
import { metricsRoute, type PublishedMetrics } from "./metrics-route.ts";
import { documentRoutes } from "./rest/openapi/document-routes.ts";
import { openApiDocument } from "./rest/openapi/document.ts";
import { restRoutes, unknownRoutes, spendCall } from "./rest/rest.ts";
import { type Route, sendJson, type Handler, sendJsonText, type RequestContext } from "./request-context.ts";
import { pathPattern, readOnly } from "./addresses.ts";
import { isOfLeftClient, readBody, signalOf, tokenOf } from "./read-request.ts";

/** A route for load balancers and supervisors. */
function health(path: string, handler: Handler): Route {
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

/** 200 while the process answers. */
const alive: Handler = async ({ response }) => sendJson(response, 200, { status: "ok" });

/** 200 if an event can be stored now, otherwise 503. */
const ready: Handler = async ({ response, host }) => {
  const isReady = await host.isReady();
  sendJson(response, isReady ? 200 : 503, { status: isReady ? "ready" : "not ready" });
};

const store = { POST: receiveStore, GET: receivePixel };
const envelope = { POST: receiveEnvelope };
const security = { POST: receiveSecurityReports };
const reportDialog = { POST: receiveReport, GET: sendReportDialog };

/**
 * The paths of DSNs before the project (protocol reference, section 1): our path, and the two paths in DSNs of the
 * original. SDKs append `/api`.
 */
const dsnPaths = ["", "/api/v4/error_tracking/collector", "/errortracking/api/v1/projects"];

/** The addresses to which SDKs send. */
export const sdkRoutes: readonly Route[] = [
  ...dsnPaths.flatMap((path) => [
    ingestion(`${path}/api/:project/store`, "error", store),
    ingestion(`${path}/api/:project/envelope`, "default", envelope),
    ingestion(`${path}/api/:project/security`, "security", security),
    ingestion(`${path}/api/:project/csp-report`, "security", security),
    ingestion(`${path}/api/embed/error-page`, "feedback", reportDialog),
    ...notKeptRoutes(path),
  ]),
  ingestion("/api/store", "error", store), // for the project of the key
  ...otlpRoutes(""),
];

/** The routes of SDKs and REST clients; routes of plugins follow them. A trailing slash is never redirected. */
function doors(operations: readonly RestOperation[], { leastRole }: Access): readonly Route[] {
  const document = openApiDocument(operations, leastRole);
  return [...sdkRoutes, ...restRoutes(operations), ...documentRoutes(document), signingKeys];
}

/** The health routes of every process. */
const healthRoutes: readonly Route[] = [health("/-/health", alive), health("/-/readiness", ready)];

/** Addresses that nobody serves, including the console. */
const unservedRoutes: readonly Route[] = [
  unknownRoutes("/api"),
  unknownRoutes("/errortracking/api"),
  unknownRoutes("/-/jwks"), // an address of the platform that was removed (specification 9.3)
];

/** All routes of a process; the console serves all other paths. */
export function routesOf(
  parts: {
    /** Whether SDKs and REST clients are served. */
    readonly isOpen: boolean;
    readonly operations: readonly RestOperation[];
    readonly apis: readonly HttpApi[];
    readonly metrics: PublishedMetrics;
    readonly baseUrl: string | undefined;
  },
  access: Access,
): readonly Route[] {
  const { isOpen, operations, apis, metrics, baseUrl } = parts;
  const called = isOpen ? [...doors(operations, access), ...apis.flatMap(apiRoutes)] : [];
  return [...called, ...healthRoutes, metricsRoute(metrics, baseUrl), ...unservedRoutes];
}

/**
 * The keys that sign tokens for other systems, as a JWK Set (RFC 7517, section 5). This service signs none, so the set
 * is empty. The address exists because /-/jwks points to it (specification 9.3).
 */
const signingKeys = readOnly("/oauth/discovery/keys", async ({ response }) => {
  response.setHeader("cache-control", "public, max-age=3600");
  sendJson(response, 200, { keys: [] });
});

/** The routes of a plugin's API, and its answer to unknown addresses below them. */
function apiRoutes(api: HttpApi): Route[] {
  const kind = "api" as const;
  const unknown: Handler = async ({ response }) => send(response, api.notFound);
  const routes = api.routes.map(({ path, methods, takes, isRaw = false }) => {
    const handlers = Object.entries(methods).map(
      ([name, run]) => [name, handle(api, { run, takes: takes?.[name], isRaw })] as const,
    );
    const head = handlers.filter(([name]) => name === "GET").map(([, handler]) => ["HEAD", handler] as const);
    return {
      pattern: pathPattern(path),
      kind,
      methods: Object.fromEntries([...handlers, ...head]),
      otherMethod: unknown,
    };
  });
  return [...routes, { pattern: new RegExp(`^${api.prefix}(/|$)`), kind, methods: {}, otherMethod: unknown }];
}

interface Handled {
  readonly run: HttpApiRoute["methods"][string];
  readonly takes: readonly string[] | undefined;
  readonly isRaw: boolean;
}

function handle(api: HttpApi, { run, takes, isRaw }: Handled): Handler {
  return async (context) => {
    try {
      await spendCall(context, { token: tokenOf(context.request), clientAddress: context.clientIp }); // before the body is read
      if (takes) refuseUnknown(context.query, takes, api.ignores);
      send(context.response, await run(await callOf(context, isRaw)));
    } catch (thrown) {
      if (isOfLeftClient(thrown, context.request)) return;
      const refusal = ServiceError.from(thrown);
      if (refusal.reason === ErrorReason.INTERNAL) context.host.log.error({ err: thrown }, "an API call failed");
      send(context.response, api.refusal(refusal));
    }
  };
}

/** Refuses unknown parameters. An empty parameter asks for nothing. */
function refuseUnknown(query: URLSearchParams, takes: readonly string[], ignores: readonly string[] = []): void {
  for (const [name, value] of query) {
    if (value === "" || takes.includes(name) || ignores.includes(name)) continue;
    const known = takes.length === 0 ? "It accepts none." : `It accepts ${takes.join(", ")}.`;
    const shown = name.slice(0, 64);
    throw invalidField(shown, `The parameter ${shown} is not supported at this address. Leave it out. ${known}`);
  }
}

async function callOf(context: RequestContext, isRaw: boolean): Promise<HttpCall> {
  const { host, request, response, path, query, clientIp, origin } = context;
  const signal = signalOf(response); // before waiting for the body
  return {
    core: host.core,
    path: Object.fromEntries(Object.entries(path).map(([name, part]) => [name, decodedPart(part)])),
    query,
    body: isRaw ? {} : fields(await readBody(request)),
    admit: async (method, project) => {
      await host.access.admit(
        method,
        { project, userId: undefined },
        { token: tokenOf(request), clientAddress: clientIp, signal },
      );
    },
    spend: (count) => spendCall(context, { token: tokenOf(request), clientAddress: clientIp }, count),
    rawBody: (maxBytes) => readBody(request, maxBytes),
    headers: headersOf(request),
    token: tokenOf(request),
    clientAddress: clientIp,
    signal,
    origin,
  };
}

const headersOf = ({ headersDistinct }: RequestContext["request"]): Record<string, string> =>
  Object.fromEntries(Object.entries(headersDistinct).map(([name, values]) => [name, values?.join(", ") ?? ""]));

function fields(body: Buffer | undefined): Readonly<Record<string, unknown>> {
  if (body === undefined) throw invalidField("body", "The body is too large.");
  if (body.toString().trim() === "") return {};
  try {
    const parsed = parseForeignJson(body);
    if (typeof parsed === "object" && parsed !== null && !Array.isArray(parsed)) {
      return parsed as Record<string, unknown>; // an object, checked above
    }
  } catch {
    // Refused below, like any other value that is not an object.
  }
  throw invalidField("body", "The body must be a JSON object.");
}

function send(response: RequestContext["response"], { status, headers, body, json }: HttpAnswer): void {
  for (const [name, value] of Object.entries(headers ?? {})) response.setHeader(name, value);
  if (json !== undefined) sendJsonText(response, status, json);
  else if (body !== undefined) sendJson(response, status, body);
  else response.writeHead(status).end();
}
