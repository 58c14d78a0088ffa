import { redirect } from "@sveltejs/kit";
import { route } from "#lib/route.ts";
import { core } from "#lib/server/core.ts";
import { forgetSession } from "#lib/server/session.ts";
import type { RequestHandler } from "./$types";

export const GET: RequestHandler = () => redirect(303, route.home());

export const POST: RequestHandler = async ({ cookies, url, locals }) => {
  // The browser forgets the session even if the core cannot be told; the session then ends by its own time.
  if (locals.token !== undefined) await core.accounts.signOut({}, { token: locals.token }).catch(() => undefined);
  forgetSession(cookies, url);
  redirect(303, route.signIn());
};
