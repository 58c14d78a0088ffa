import { redirect } from "@sveltejs/kit";
import { route } from "#lib/navigation/route.ts";
import { endSession, forgetSession } from "#lib/server/session.ts";
import type { RequestHandler } from "./$types";

export const GET: RequestHandler = () => redirect(303, route.home());

export const POST: RequestHandler = async ({ cookies, url, locals }) => {
  if (locals.token !== undefined) await endSession(locals.token);
  forgetSession(cookies, url);
  redirect(303, route.signIn());
};
