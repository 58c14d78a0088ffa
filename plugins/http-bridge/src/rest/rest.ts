import type { IncomingMessage, ServerResponse } from "node:http";
import type { Call } from "@faultline/plugin";
import type { Project } from "@faultline/proto";
import { spendCall } from "../call-limit.ts";
import { pathPattern } from "../path-pattern.ts";
import { sendJson, sendJsonText, type Handler, type Route, type Visit } from "../visit.ts";
import { isOfLeftClient, readBody, signalOf, tokenOf } from "../read-request.ts";
import { concernsDeprecations, throughDeprecations } from "./deprecation-gate.ts";
import { badParameter, httpError, unsupportedType } from "./http-error.ts";
import { findProject } from "./named-project.ts";
import { wholeNumber, type Params } from "./params.ts";

/** What a REST operation gets: its parameters come from query, form or JSON alike. */
export interface RestCall {
  readonly visit: Visit;
  readonly call: Call;
  readonly params: Params;
  /** The project whose id or path stands at `:project` in the route; undefined in routes without it. */
  readonly project: Project | undefined;
}

/** A status with a body that becomes JSON, with one that is JSON already, or with none. */
export interface RestAnswer {
  readonly status: number;
  readonly body?: unknown;
  readonly json?: string;
}

/** Does the work of a route. */
export type Operation = (call: RestCall) => Promise<RestAnswer>;

/** An operation and the method of the core whose option `needs` decides who may use it. */
export interface GuardedOperation {
  /** `Service.Method`. */
  readonly method: string;
  readonly run: Operation;
}

/** A route of /api/v4 with its operations by HTTP method. */
export interface RestRoute extends Route {
  readonly path: string;
  readonly operations: Readonly<Record<string, GuardedOperation>>;
}

/** A row of the table of routes: `{ GET: as("ProjectService.GetProject", getProject) }`. */
export function as(method: string, run: Operation): GuardedOperation {
  return { method, run };
}

/** A route of /api/v4; refusals have the bodies of the original (gitlab.md 1.1). */
export function rest(path: string, operations: Readonly<Record<string, GuardedOperation>>): RestRoute {
  const verbs = Object.entries(operations).map(([verb, operation]) => [verb, handle(operation)] as const);
  const head = verbs.filter(([verb]) => verb === "GET").map(([, handler]) => ["HEAD", handler] as const);
  const methods = Object.fromEntries([...verbs, ...head]); // Node sends no body to HEAD
  const allow = Object.keys(methods).join(", ");
  return {
    path,
    operations,
    kind: "api",
    pattern: pathPattern(path),
    methods,
    otherMethod: async ({ response }) => {
      response.setHeader("allow", allow);
      sendJson(response, 405, { error: "405 Not Allowed" });
    },
  };
}

function handle({ method, run }: GuardedOperation): Handler {
  return answering(async (visit) => {
    const call: Call = {
      token: tokenOf(visit.request),
      clientAddress: visit.clientIp,
      signal: signalOf(visit.response),
    };
    await spendCall(visit, call);
    // Before the parameters: who may not call learns nothing about what is right.
    const named = visit.path["project"];
    const project = named === undefined ? undefined : await findProject(visit.host.core, named, call);
    const userId = wholeNumber(visit.path["user_id"]);
    // Refuses a missing project too, but the token first, as over gRPC.
    await visit.host.access.check(method, { projectId: project?.projectId, userId }, call);
    const params = { ...Object.fromEntries(visit.query), ...(await bodyParams(visit.request)) };
    return throughDeprecations(visit, params, () => run({ visit, call, params, project }));
  });
}

/** Sends what a route answers, or how REST answers what it throws. */
function answering(answer: (visit: Visit) => Promise<RestAnswer>): Handler {
  return async (visit) => {
    try {
      send(visit.response, await answer(visit));
    } catch (thrown) {
      if (isOfLeftClient(thrown, visit.request)) return;
      const { status, body, headers } = httpError(thrown);
      if (status === 500) visit.host.log.error({ err: thrown }, "a REST call failed");
      for (const [name, value] of Object.entries(headers ?? {})) visit.response.setHeader(name, value);
      sendJson(visit.response, status, body);
    }
  };
}

/** All other addresses below a path: they are not the console's. Those the platform removed are said to be gone. */
export function unknownRoutes(path: string): Route {
  return {
    kind: "api",
    pattern: new RegExp(`^${path}(/|$)`),
    methods: {},
    otherMethod: answering(async (visit) =>
      throughDeprecations(visit, await readableParams(visit), async () => ({
        status: 404,
        body: { error: "404 Not Found" },
      })),
    ),
  };
}

/**
 * The parameters for an address we do not have, as far as they can be read: a fault in them changes no 404. Multipart
 * forms are read here alone: it is how the platform's documents send a form (`curl --form`), and no operation of ours
 * takes one.
 */
async function readableParams(visit: Visit): Promise<Params> {
  const inQuery = Object.fromEntries(visit.query);
  if (!concernsDeprecations(visit)) return inQuery;
  return { ...inQuery, ...(await bodyParams(visit.request, { isMultipartRead: true }).catch(() => ({}))) };
}

function send(response: ServerResponse, { status, body, json }: RestAnswer): void {
  const text = json ?? JSON.stringify(body);
  if (text === undefined) response.writeHead(status).end();
  else sendJsonText(response, status, text);
}

async function bodyParams(
  request: IncomingMessage,
  { isMultipartRead = false } = {},
): Promise<Record<string, unknown>> {
  const text = await readBody(request);
  if (text === undefined) throw badParameter("body", "is too large");
  if (text.trim() === "") return {};
  const header = request.headers["content-type"] ?? "application/json";
  const type = header.split(";", 1)[0]?.trim().toLowerCase();
  if (type === "application/x-www-form-urlencoded") return Object.fromEntries(new URLSearchParams(text));
  if (type === "multipart/form-data" && isMultipartRead) {
    return Object.fromEntries(await new Response(text, { headers: { "content-type": header } }).formData());
  }
  if (type !== "application/json") throw unsupportedType(type ?? "");
  const parsed = parse(text);
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) throw badParameter("body", "is invalid");
  return parsed as Record<string, unknown>; // an object, as checked
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw badParameter("body", "is invalid");
  }
}
