import { fetchRequestHandler } from "@trpc/server/adapters/fetch";
import { route } from "#lib/route.ts";
import { appRouter } from "#lib/server/trpc/router.ts";
import type { RequestHandler } from "./$types";

const handle: RequestHandler = ({ request, locals }) =>
  fetchRequestHandler({
    req: request,
    endpoint: route.trpc(),
    router: appRouter,
    createContext: () => ({ token: locals.token, signal: request.signal }),
    maxBatchSize: 10,
  });

export const GET = handle;
export const POST = handle;
