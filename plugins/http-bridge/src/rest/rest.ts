import type { ServerResponse } from "node:http";
import type { Call } from "@faultline/plugin";
import { decodedPart, wholeNumber, type RestAnswer, type RestOperation, type Sent } from "@faultline/plugin/rest";
import { spendCall } from "../call-limit.ts";
import { pathPattern } from "../path-pattern.ts";
import { isOfLeftClient, signalOf, tokenOf } from "../read-request.ts";
import { sendJson, sendJsonText, type Handler, type Route, type RequestContext } from "../request-context.ts";
import { methodNotAllowed } from "./method-not-allowed.ts";
import { concernsDeprecations, throughDeprecations } from "./deprecation-gate.ts";
import { httpError, refusedRequest } from "./http-error.ts";
import { bodyEntries, namedValues } from "./sent-values.ts";
import { isStrict, refuseUnknown } from "./unknown-names.ts";

/** The routes of /api/v4; refusals have the bodies of the original (gitlab.md 1.1). */
export function restRoutes(operations: readonly RestOperation[]): readonly Route[] {
  const byPath = Map.groupBy(operations, ({ path }) => path);
  return [...byPath].map(([path, ofPath]) => {
    const verbs = ofPath.map((operation) => [operation.verb, handle(operation)] as const);
    const head = verbs.filter(([verb]) => verb === "GET").map(([, handler]) => ["HEAD", handler] as const);
    const methods = Object.fromEntries([...verbs, ...head]); // Node sends no body to HEAD
    return { kind: "api", pattern: pathPattern(`/api/v4${path}`), methods, otherMethod: methodNotAllowed(methods) };
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
    const entries = [...context.query, ...(await bodyEntries(request))];
    const sent = namedValues(entries);
    if (isStrict(operation)) refuseUnknown(operation.params, sent);
    const address = { origin, target: request.url ?? "/" };
    return throughDeprecations(context, Object.fromEntries(entries), async () => {
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
      throughDeprecations(context, await readableParams(context), async () =>
        refusedRequest(404, "ADDRESS_NOT_FOUND", { error: "404 Not Found" }),
      ),
    ),
  };
}

/** The parameters of a request to an address we do not have: a fault in them does not change the 404. */
async function readableParams(context: RequestContext): Promise<Sent> {
  if (!concernsDeprecations(context)) return Object.fromEntries(context.query);
  return Object.fromEntries([...context.query, ...(await bodyEntries(context.request).catch(() => []))]);
}

function send(response: ServerResponse, { status, body, json }: RestAnswer): void {
  const text = json ?? JSON.stringify(body);
  if (text === undefined) response.writeHead(status).end();
  else sendJsonText(response, status, text);
}
