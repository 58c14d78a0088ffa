import { fetchRequestHandler } from "@trpc/server/adapters/fetch";
import { mustSignIn } from "#lib/failures/refusal.server.ts";
import { route } from "#lib/navigation/route.ts";
import { logFailure } from "#lib/server/log-failure.ts";
import { isFromOtherSite } from "#lib/server/own-page.ts";
import { refusalOfTrpc } from "#lib/server/trpc/procedures.ts";
import { appRouter } from "#lib/server/trpc/router.ts";
import type { RequestHandler } from "./$types";

/**
 * Accepts only our own pages, because browsers also send the cookie with requests from other hosts of the same site.
 * Accepts only JSON, because tRPC would accept a form as the input of a procedure without required fields.
 */
const handle: RequestHandler = (event) => {
  const { request, locals } = event;
  if (isFromOtherSite(request.headers))
    return new Response("Only pages of this console may call this address.", { status: 403 });
  if (request.method === "POST" && !isJson(request.headers)) {
    return new Response("Send application/json.", { status: 415 });
  }
  return fetchRequestHandler({
    req: request,
    endpoint: route.trpc(),
    router: appRouter,
    createContext: () => ({
      token: locals.token,
      signal: request.signal,
      traceparent: request.headers.get("traceparent") ?? undefined,
    }),
    maxBatchSize: 10,
    onError: ({ error }) => {
      const refusal = refusalOfTrpc(error);
      if (mustSignIn(refusal)) locals.sessionIsOver = true;
      if (refusal.reason === "UNKNOWN" && error.code === "INTERNAL_SERVER_ERROR") logFailure(event, error);
    },
  });
};

const isJson = (headers: Headers) => /^application\/json *(;|$)/i.test(headers.get("content-type") ?? "");

export const GET = handle;
export const POST = handle;
