import { redirect } from "@sveltejs/kit";
import type { RequestEvent } from "@sveltejs/kit";
import { mustSignIn } from "#lib/failures/refusal.server.ts";
import { route } from "#lib/navigation/route.ts";
import { isOpen } from "#lib/server/open-routes.ts";
import { forgetSession } from "#lib/server/session.ts";
import { refusalOfTrpc } from "./procedures.ts";
import { createCaller } from "./router.ts";

/**
 * The procedures for a request. A call that needs a new sign-in leads to the sign-in page, unless the page is for
 * people who are not signed in.
 */
export function callerFor({ locals, request, url, cookies, route: { id } }: RequestEvent) {
  return createCaller(
    // Read for each call, because a form may begin a session.
    () => ({
      token: locals.token,
      signal: request.signal,
      traceparent: request.headers.get("traceparent") ?? undefined,
    }),
    {
      onError: ({ error }) => {
        if (!mustSignIn(refusalOfTrpc(error))) return;
        if (locals.token !== undefined) forgetSession(cookies, url);
        if (isOpen(id)) return;
        locals.sessionIsOver = true;
        redirect(303, route.signIn(url.pathname + url.search));
      },
    },
  );
}

export type Api = ReturnType<typeof callerFor>;
