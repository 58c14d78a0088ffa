import type { IncomingMessage } from "node:http";
import type { Call } from "@faultline/plugin";
import type { Project } from "@faultline/proto";
import { pathPattern } from "../path-pattern.ts";
import { sendJson, type Handler, type Route, type Visit } from "../visit.ts";
import { badParameter, httpError, unsupportedType } from "./http-error.ts";
import { findProject } from "./projects.ts";

/** What a REST operation gets: its parameters come from query, form or JSON alike. */
export interface RestCall {
  readonly visit: Visit;
  readonly call: Call;
  readonly params: Readonly<Record<string, unknown>>;
  /** The project whose id or path stands at `:project` in the route; undefined in routes without it. */
  readonly project: Project | undefined;
}

/** Answers with a status and a JSON body. */
export type Operation = (call: RestCall) => Promise<{ status: number; body: unknown }>;

/** An operation and the method of the core whose row in the table of permissions decides who may use it. */
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
  const allow = Object.keys(operations).join(", ");
  return {
    path,
    operations,
    pattern: pathPattern(path),
    methods: Object.fromEntries(Object.entries(operations).map(([verb, operation]) => [verb, handle(operation)])),
    otherMethod: async ({ response }) => {
      response.setHeader("allow", allow);
      sendJson(response, 405, { error: "405 Not Allowed" });
    },
  };
}

function handle({ method, run }: GuardedOperation): Handler {
  return async (visit) => {
    visit.response.setHeader("cache-control", "no-store");
    try {
      const call: Call = { token: tokenOf(visit.request) };
      // Before the parameters: who may not call learns nothing about what is right.
      const named = visit.path["project"];
      const project = named === undefined ? undefined : await findProject(visit.host.core, named, call);
      await visit.host.access.check(method, project?.projectId, call);
      const params = { ...Object.fromEntries(visit.query), ...(await bodyParams(visit.request)) };
      const { status, body } = await run({ visit, call, params, project });
      sendJson(visit.response, status, body);
    } catch (thrown) {
      const { status, body, headers } = httpError(thrown);
      if (status === 500) visit.host.log.error({ err: thrown }, "a REST call failed");
      for (const [name, value] of Object.entries(headers ?? {})) visit.response.setHeader(name, value);
      sendJson(visit.response, status, body);
    }
  };
}

/** All other addresses below a path: they are not the console's. */
export function unknownRoutes(path: string): Route {
  return {
    pattern: new RegExp(`^${path}(/|$)`),
    methods: {},
    otherMethod: async ({ response }) => sendJson(response, 404, { error: "404 Not Found" }),
  };
}

/** `PRIVATE-TOKEN: <token>` (specification 4.1) or `Authorization: Bearer <token>`; never the query, which is logged. */
function tokenOf({ headers }: IncomingMessage): string | undefined {
  const privateToken = headers["private-token"];
  if (typeof privateToken === "string" && privateToken !== "") return privateToken;
  return /^bearer\s+(\S+)$/i.exec(headers.authorization ?? "")?.[1];
}

const maxBodyBytes = 64 * 1024;

async function bodyParams(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBodyBytes) throw badParameter("body", "is too large");
    chunks.push(chunk);
  }
  const text = Buffer.concat(chunks).toString();
  if (text.trim() === "") return {};
  const type = (request.headers["content-type"] ?? "application/json").split(";", 1)[0]?.trim().toLowerCase();
  if (type === "application/x-www-form-urlencoded") return Object.fromEntries(new URLSearchParams(text));
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
