import { redirect } from "@sveltejs/kit";
import { route } from "#lib/navigation/route.ts";
import { action } from "#lib/server/action.ts";
import { forgetSession } from "#lib/server/session.ts";
import { browserName } from "./browser-name.ts";
import type { Actions, PageServerLoad } from "./$types";

export const load: PageServerLoad = async ({ locals }) => {
  const { sessions } = await locals.api.accounts.listSessions({});
  return { sessions: sessions.map((session) => ({ ...session, browser: browserName(session.userAgent) })) };
};

export const actions: Actions = {
  end: async ({ request, locals }) => {
    const sessionId = Number((await request.formData()).get("session_id"));
    return action(async () => {
      await locals.api.accounts.endSession({ sessionId });
      return { message: "", ended: sessionId };
    });
  },
  everywhere: async ({ locals, cookies, url }) => {
    await locals.api.accounts.signOut({ everywhere: true });
    forgetSession(cookies, url);
    redirect(303, route.signIn());
  },
};
