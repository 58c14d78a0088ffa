import { redirect } from "@sveltejs/kit";
import type { RequestEvent } from "@sveltejs/kit";
import { mustSignIn } from "#lib/handle-error.ts";
import { route } from "#lib/route.ts";
import { forgetSession } from "#lib/server/session.ts";
import { createCallerFactory, refusalOfTrpc } from "./procedures.ts";
import { appRouter } from "./router.ts";

const createCaller = createCallerFactory(appRouter);

/** The procedures for one request; a call that needs a new sign-in leads to the sign-in page. */
export function callerFor({ locals, request, url, cookies }: RequestEvent) {
  return createCaller(
    { token: locals.token, signal: request.signal },
    {
      onError: ({ error }) => {
        if (!mustSignIn(refusalOfTrpc(error)) || url.pathname === route.signIn()) return;
        if (locals.token !== undefined) forgetSession(cookies, url);
        redirect(303, route.signIn(url.pathname + url.search));
      },
    },
  );
}

export type Api = ReturnType<typeof callerFor>;
