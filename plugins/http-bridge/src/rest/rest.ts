import type { IncomingMessage, ServerResponse } from "node:http";
import type { Call } from "@faultline/plugin";
import {
  badParameter,
  decodedPart,
  wholeNumber,
  type RestAnswer,
  type RestOperation,
  type Sent,
} from "@faultline/plugin/rest";
import { spendCall } from "../call-limit.ts";
import { pathPattern } from "../path-pattern.ts";
import { isOfLeftClient, readBody, signalOf, tokenOf } from "../read-request.ts";
import { sendJson, sendJsonText, type Handler, type Route, type RequestContext } from "../request-context.ts";
import { concernsDeprecations, throughDeprecations } from "./deprecation-gate.ts";
import { httpError, unsupportedType } from "./http-error.ts";

/** The routes of /api/v4; refusals have the bodies of the original (gitlab.md 1.1). */
export function restRoutes(operations: readonly RestOperation[]): readonly Route[] {
  const byPath = Map.groupBy(operations, ({ path }) => path);
  return [...byPath].map(([path, ofPath]) => {
    const verbs = ofPath.map((operation) => [operation.verb, handle(operation)] as const);
    const head = verbs.filter(([verb]) => verb === "GET").map(([, handler]) => ["HEAD", handler] as const);
    const methods = Object.fromEntries([...verbs, ...head]); // Node sends no body to HEAD
    const allow = Object.keys(methods).join(", ");
    return {
      kind: "api",
      pattern: pathPattern(`/api/v4${path}`),
      methods,
      otherMethod: async ({ response }) => {
        response.setHeader("allow", allow);
        sendJson(response, 405, { error: "405 Not Allowed" });
      },
    };
  });
}

function handle(operation: RestOperation): Handler {
  return answering(async (context) => {
    const { host, request, response, path, origin } = context;
    const call: Call = { token: tokenOf(request), clientAddress: context.clientIp, signal: signalOf(response) };
    await spendCall(context, call);
    // Before the parameters: a caller without the right must not learn which values are valid.
    const names = { project: projectNamed(path["project"]), userId: wholeNumber(path["user_id"]) };
    const admitted = await host.access.admit(operation.method, names, call);
    const sent = { ...Object.fromEntries(context.query), ...(await bodyParams(request)) };
    const address = { origin, target: request.url ?? "/" };
    return throughDeprecations(context, sent, async () => {
      const { headers = {}, ...answer } = await operation.run({ host, call, admitted, path, sent, address });
      for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
      return answer;
    });
  });
}

/** The project that a path names by id or by URL-encoded path. */
function projectNamed(part: string | undefined): number | string | undefined {
  if (part === undefined) return undefined;
  const text = decodedPart(part);
  return wholeNumber(text) ?? text;
}

/** Sends the answer of a route, or the REST response for an error that it throws. */
function answering(answer: (context: RequestContext) => Promise<RestAnswer>): Handler {
  return async (context) => {
    try {
      send(context.response, await answer(context));
    } catch (thrown) {
      if (isOfLeftClient(thrown, context.request)) return;
      const { status, body, headers } = httpError(thrown);
      if (status === 500) context.host.log.error({ err: thrown }, "a REST call failed");
      for (const [name, value] of Object.entries(headers ?? {})) context.response.setHeader(name, value);
      sendJson(context.response, status, body);
    }
  };
}

/** All other addresses below a path, which are not the console's. An address that the platform removed gets 410. */
export function unknownRoutes(path: string): Route {
  return {
    kind: "api",
    pattern: new RegExp(`^${path}(/|$)`),
    methods: {},
    otherMethod: answering(async (context) =>
      throughDeprecations(context, await readableParams(context), async () => ({
        status: 404,
        body: { error: "404 Not Found" },
      })),
    ),
  };
}

/**
 * The parameters of a request to an address we do not have, as far as they can be parsed: a fault in them does not
 * change the 404. Only this function reads multipart forms: the platform's documentation sends them (`curl --form`),
 * and no operation of ours accepts one.
 */
async function readableParams(context: RequestContext): Promise<Sent> {
  const inQuery = Object.fromEntries(context.query);
  if (!concernsDeprecations(context)) return inQuery;
  return { ...inQuery, ...(await bodyParams(context.request, { isMultipartRead: true }).catch(() => ({}))) };
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
  const text = (await readBody(request))?.toString();
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
