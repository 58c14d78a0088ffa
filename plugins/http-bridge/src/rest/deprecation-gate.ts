import type { ServerResponse } from "node:http";
import type { RestRequest, Verdict } from "@faultline/plugin";
import type { RestAnswer, Sent } from "@faultline/plugin/rest";
import type { RequestContext } from "../request-context.ts";
import { refusedRequest } from "./http-error.ts";

/** Whether a notice of deprecation may be about requests to this address, so that its parameters are worth reading. */
export function concernsDeprecations(context: RequestContext): boolean {
  const { method, path } = addressOf(context);
  return context.host.deprecations.concerns(method, path);
}

/**
 * Answers a request, unless it uses something removed: then it responds with `410` for an address, or `400` for a
 * parameter, a value or a form of pagination. A request that uses something deprecated is answered and gets the headers
 * Deprecation (RFC 9745) and Sunset (RFC 8594), with links to the notice (specification 9.2 and 9.3).
 */
export async function throughDeprecations(
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
    announce(context, verdict); // afterwards, as the answer may set links of its own; also for refused calls
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

/** Keeps links of pagination. */
function addLinks(response: ServerResponse, links: readonly string[]): void {
  const before = [response.getHeader("link") ?? []].flat().map(String);
  response.setHeader("link", [...before, ...links].join(", "));
}
