import { fail, redirect } from "@sveltejs/kit";
import { returnPath, route } from "#lib/route.ts";
import { core } from "#lib/server/core.ts";
import { refusedAction } from "#lib/server/refused-action.ts";
import { deviceToken, signingIn, startSession } from "#lib/server/session.ts";
import type { Actions, PageServerLoad } from "./$types";

/** One more than a password may have bytes: the rest makes it no less wrong, and a stranger's call has 64 KiB. */
const mostTyped = 1_025;

export const load: PageServerLoad = ({ url }) => ({ passwordWasSet: url.searchParams.has("password_set") });

export const actions: Actions = {
  // Every procedure needs a session, so the core is called directly.
  default: async (event) => {
    const form = await event.request.formData();
    const username = String(form.get("username") ?? "").trim();
    const password = String(form.get("password") ?? "");
    const [name, secret] = [username.slice(0, mostTyped), password.slice(0, mostTyped)];
    try {
      const attempt = { username: name, password: secret, ...signingIn(event), deviceToken: deviceToken(event) };
      await startSession(event, await core.accounts.signIn(attempt));
    } catch (error) {
      const { status, message } = refusedAction(error);
      return fail(status, { username, message });
    }
    const returnTo = returnPath(event.url.searchParams.get("return_to"));
    redirect(303, returnTo.startsWith(route.signIn()) ? route.home() : returnTo);
  },
};
