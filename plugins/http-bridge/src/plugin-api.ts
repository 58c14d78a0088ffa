import {
  invalidField,
  parseForeignJson,
  ServiceError,
  type HttpAnswer,
  type HttpApi,
  type HttpApiRoute,
  type HttpCall,
} from "@faultline/plugin";
import { ErrorReason } from "@faultline/proto";
import { spendCall } from "./call-limit.ts";
import { decodedPart } from "@faultline/plugin/rest";
import { pathPattern } from "./path-pattern.ts";
import { isOfLeftClient, readBody, signalOf, tokenOf } from "./read-request.ts";
import { sendJson, sendJsonText, type Handler, type Route, type RequestContext } from "./request-context.ts";

/** The routes of an API that a plugin serves, and below them its answer to unknown addresses. */
export function apiRoutes(api: HttpApi): Route[] {
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

/** Refuses a parameter that is not understood. An empty one asks for nothing. */
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
  const signal = signalOf(response); // before the body is waited for
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
      return parsed as Record<string, unknown>; // an object, as checked
    }
  } catch {
    // Refused below, as anything that is not an object.
  }
  throw invalidField("body", "The body must be a JSON object.");
}

function send(response: RequestContext["response"], { status, headers, body, json }: HttpAnswer): void {
  for (const [name, value] of Object.entries(headers ?? {})) response.setHeader(name, value);
  if (json !== undefined) sendJsonText(response, status, json);
  else if (body !== undefined) sendJson(response, status, body);
  else response.writeHead(status).end();
}
