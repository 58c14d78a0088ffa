import type { ServerResponse, IncomingMessage } from "node:http";
import { type Call, type RestRequest, type Verdict, parseForeignJson, type CallAllowance } from "@faultline/plugin";
import {
  decodedPart,
  wholeNumber,
  type RestAnswer,
  type RestOperation,
  type Sent,
  ParameterFault,
  type Parameters,
  badParameter,
} from "@faultline/plugin/rest";
import { inPathOrder, methodNotAllowed, pathPattern } from "../addresses.ts";
import { isOfLeftClient, signalOf, tokenOf, readBody } from "../read-request.ts";
import { sendJson, sendJsonText, type Handler, type Route, type RequestContext } from "../request-context.ts";
import { httpError, refusedRequest, unsupportedType } from "./http-error.ts";

/** The routes of /api/v4; refusals have the bodies of the original (gitlab.md 1.1). */
export function restRoutes(operations: readonly RestOperation[]): readonly Route[] {
  const byPath = Map.groupBy(inPathOrder(operations), ({ path }) => path);
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
    // Checked before the parameters: a caller without permission must not learn which values are valid.
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

/** The project that a path identifies by id or by URL-encoded path. */
function projectNamed(part: string | undefined): number | string | undefined {
  if (part === undefined) return undefined;
  const text = decodedPart(part);
  return wholeNumber(text) ?? text;
}

/** Sends a route's answer, or the REST response for its error. */
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

/**
 * All unknown addresses below a path, which the console does not serve. Addresses that the platform removed get 410.
 */
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

/** The parameters of a request to an unknown address. Invalid parameters do not change the 404. */
async function readableParams(context: RequestContext): Promise<Sent> {
  if (!concernsDeprecations(context)) return Object.fromEntries(context.query);
  return Object.fromEntries([...context.query, ...(await bodyEntries(context.request).catch(() => []))]);
}

function send(response: ServerResponse, { status, body, json }: RestAnswer): void {
  const text = json ?? JSON.stringify(body);
  if (text === undefined) response.writeHead(status).end();
  else sendJsonText(response, status, text);
}

/** Addresses that GitLab also has: its clients send parameters that do not exist here. */
const ofGitlab =
  /^\/(users|projects|member_roles|personal_access_tokens|metadata|version|audit_events)(\/:\w+)?(\/(self|rotate|block|unblock|restore|members|invitations|error_tracking\/(settings|client_keys)).*)?$/;

/**
 * Whether an operation refuses unknown names: if it deletes something, and if it changes something that GitLab does not
 * have. An unknown name there, such as `dry_run`, may be important to its sender.
 */
function isStrict({ verb, path }: Pick<RestOperation, "verb" | "path">): boolean {
  return verb === "DELETE" || (verb !== "GET" && !ofGitlab.test(path));
}

/** Refuses unknown parameters, and suggests the closest name. */
function refuseUnknown(params: Parameters, sent: Sent): void {
  const known = Object.keys(params);
  for (const name of Object.keys(sent)) {
    if (known.includes(name)) continue;
    const [nearest] = known
      .map((one) => [one, changesBetween(one, name.slice(0, 64))] as const)
      .filter(([one, changes]) => changes <= Math.max(2, one.length / 3) || one.startsWith(name))
      .toSorted(([, one], [, other]) => one - other);
    const advice =
      known.length === 0
        ? "this call takes none"
        : nearest
          ? `did you mean ${nearest[0]}?`
          : `this call takes ${known.join(", ")}`;
    throw new ParameterFault(400, `${name.slice(0, 64)} is not a parameter of this call: ${advice}`);
  }
}

/** How many letters must be added, removed or replaced to turn one name into the other (Levenshtein). */
function changesBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, n) => n);
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

/** Whether a deprecation notice may concern this address, so that its parameters must be read. */
function concernsDeprecations(context: RequestContext): boolean {
  const { method, path } = addressOf(context);
  return context.host.deprecations.concerns(method, path);
}

/**
 * Answers a request, unless it uses a removed feature: then it responds with `410` for an address, or `400` for a
 * parameter, a value or a form of pagination. A request that uses a deprecated feature is answered with the headers
 * Deprecation (RFC 9745) and Sunset (RFC 8594), and links to the notice (specification 9.2 and 9.3).
 */
async function throughDeprecations(
  context: RequestContext,
  parameters: Sent,
  answer: () => Promise<RestAnswer>,
): Promise<RestAnswer> {
  const verdict = context.host.deprecations.verdict({ ...addressOf(context), parameters });
  if (!verdict) return answer();
  if (verdict.kind === "gone") return refusedRequest(410, "REMOVED", { message: `410 Gone - ${verdict.message}` });
  if (verdict.kind === "refused") return refusedRequest(400, "REMOVED", { error: verdict.message });
  try {
    return await answer();
  } finally {
    announce(context, verdict); // last, because the answer may set its own links; also for refused calls
  }
}

function addressOf({ request }: RequestContext): Pick<RestRequest, "method" | "path"> {
  const method = request.method === "HEAD" ? "GET" : (request.method ?? "");
  return { method, path: (request.url ?? "/").split("?", 1)[0] ?? "/" };
}

function announce({ response, origin }: RequestContext, { notice, deprecatedAt, endsAt }: Verdict): void {
  response.setHeader("deprecation", `@${Math.floor(deprecatedAt / 1000)}`);
  if (endsAt !== undefined) response.setHeader("sunset", new Date(endsAt).toUTCString());
  const page = `<${origin}/-/deprecations#${notice.deprecationId}>`;
  addLinks(response, [`${page}; rel="deprecation"; type="text/html"`, `${page}; rel="sunset"; type="text/html"`]);
}

/** Adds links, after the links of pagination if there are any. */
function addLinks(response: ServerResponse, links: readonly string[]): void {
  const before = [response.getHeader("link") ?? []].flat().map(String);
  response.setHeader("link", [...before, ...links].join(", "));
}

/** A name and its value, in the sent order. */
type Entry = readonly [name: string, value: unknown];

/** The fields of a JSON body or of either kind of form, at most 64 KiB. */
async function bodyEntries(request: IncomingMessage): Promise<readonly Entry[]> {
  const body = await readBody(request);
  if (body === undefined) throw badParameter("body", "is too large");
  const text = body.toString();
  if (text.trim() === "") return [];
  const header = request.headers["content-type"] ?? "application/json";
  const type = header.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (type === "application/x-www-form-urlencoded") return [...new URLSearchParams(text)];
  if (type === "multipart/form-data") return multipartEntries(body, header);
  if (type !== "application/json") throw unsupportedType(type);
  const parsed = parse(body);
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) throw badParameter("body", "is invalid");
  return Object.entries(parsed);
}

/** The fields of a multipart form. No parameter accepts files. */
async function multipartEntries(body: Buffer, header: string): Promise<readonly Entry[]> {
  try {
    const form = await new Response(new Uint8Array(body), { headers: { "content-type": header } }).formData();
    return [...form];
  } catch {
    throw badParameter("body", "is invalid");
  }
}

/**
 * Values by name. As in the original, `ids[]=1&ids[]=2` is the list `ids`, and `fields[url]=x` is the field `url` of
 * the object `fields`. The last value of a repeated name wins.
 */
function namedValues(entries: readonly Entry[]): Sent {
  const values = new Map<string, unknown>();
  for (const [name, value] of entries) {
    const [, outer, inner] = /^([^[\]]+)\[([^[\]]*)\]$/.exec(name) ?? [];
    if (outer === undefined || inner === undefined) {
      values.set(name, value);
      continue;
    }
    const before = values.get(outer);
    if (inner === "") {
      if (Array.isArray(before)) before.push(value);
      else values.set(outer, [value]);
    } else if (before instanceof Map) before.set(inner, value);
    else values.set(outer, new Map([[inner, value]]));
  }
  return Object.fromEntries(
    [...values].map(([name, value]) => [name, value instanceof Map ? Object.fromEntries(value) : value]),
  );
}

function parse(body: Buffer): unknown {
  try {
    return parseForeignJson(body);
  } catch {
    throw badParameter("body", "is invalid");
  }
}

/**
 * Counts one or more calls against the limits of the token and the person. Reports the remainder in the response
 * headers, or refuses the call.
 */
export async function spendCall({ host, response }: RequestContext, call: Call, count = 1): Promise<void> {
  const allowance = await host.access.spend(call, count);
  if (!allowance) return;
  for (const [name, value] of Object.entries(limitHeaders(allowance, host.clock.now())))
    response.setHeader(name, value);
  if (allowance.refusal) throw allowance.refusal;
}

/**
 * Two forms of the same limits: the headers of GitLab (docs.gitlab.com, "User and IP rate limits", Response headers),
 * with the reset as seconds since 1970; and the fields of draft-ietf-httpapi-ratelimit-headers-10, with `t` in seconds.
 */
export function limitHeaders(allowance: CallAllowance, now: number): Readonly<Record<string, string>> {
  const { name, limit, remaining, resetSeconds, policies } = allowance;
  return {
    "RateLimit-Limit": `${limit}`,
    "RateLimit-Name": name,
    "RateLimit-Observed": `${limit - remaining}`,
    "RateLimit-Remaining": `${remaining}`,
    "RateLimit-Reset": `${Math.ceil(now / 1000) + resetSeconds}`,
    "RateLimit-Policy": policies.map((policy) => `"${policy.name}";q=${policy.limit};w=${policy.seconds}`).join(", "),
    RateLimit: `"${name}";r=${remaining};t=${resetSeconds}`,
  };
}
