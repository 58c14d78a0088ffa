import { redirect } from "@sveltejs/kit";
import { returnPath, route } from "#lib/navigation/route.ts";
import { action } from "#lib/server/action.ts";
import { deviceToken, signingIn, startSession } from "#lib/server/session.ts";
import type { Actions, PageServerLoad } from "./$types";

/** User names and passwords are shorter: a longer text is wrong, and the core need not read it. */
const longest = 2_000;

export const load: PageServerLoad = ({ url }) => ({ passwordWasSet: url.searchParams.has("password_set") });

export const actions: Actions = {
  default: async (event) => {
    const form = await event.request.formData();
    const username = String(form.get("username") ?? "")
      .trim()
      .slice(0, longest);
    const password = String(form.get("password") ?? "").slice(0, longest);
    const run = async () => {
      const attempt = { username, password, ...signingIn(event), ...deviceToken(event) };
      await startSession(event, await event.locals.api.accounts.signIn(attempt));
      const returnTo = returnPath(event.url.searchParams.get("return_to"));
      redirect(303, returnTo.startsWith(route.signIn()) ? route.home() : returnTo);
    };
    return action(run, { username });
  },
};
