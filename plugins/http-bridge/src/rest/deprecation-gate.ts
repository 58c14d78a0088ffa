import type { ServerResponse } from "node:http";
import type { RestRequest, Verdict } from "@faultline/plugin";
import type { RestAnswer, Sent } from "@faultline/plugin/rest";
import type { Visit } from "../visit.ts";

/** Whether a notice of deprecation may concern requests to this address, so that their parameters are worth reading. */
export function concernsDeprecations(visit: Visit): boolean {
  const { method, path } = addressOf(visit);
  return visit.host.deprecations.concerns(method, path);
}

/**
 * Answers a request, unless it uses something removed: then with `410` for an address, `400` for a parameter, a value
 * or a form of pagination. Use of something deprecated is answered and reported in the headers Deprecation (RFC 9745)
 * and Sunset (RFC 8594), with links to the notice (specification 9.2 and 9.3).
 */
export async function throughDeprecations(
  visit: Visit,
  parameters: Sent,
  answer: () => Promise<RestAnswer>,
): Promise<RestAnswer> {
  const verdict = visit.host.deprecations.verdict({ ...addressOf(visit), parameters });
  if (!verdict) return answer();
  if (verdict.kind === "gone") return { status: 410, body: { message: `410 Gone - ${verdict.message}` } };
  if (verdict.kind === "refused") return { status: 400, body: { error: verdict.message } };
  try {
    return await answer();
  } finally {
    announce(visit, verdict); // last, as the answer may set links of its own; also for refused calls
  }
}

function addressOf({ request }: Visit): Pick<RestRequest, "method" | "path"> {
  const method = request.method === "HEAD" ? "GET" : (request.method ?? "");
  return { method, path: (request.url ?? "/").split("?", 1)[0] ?? "/" };
}

function announce({ response, origin }: Visit, { notice, deprecatedAt, endsAt }: Verdict): void {
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
