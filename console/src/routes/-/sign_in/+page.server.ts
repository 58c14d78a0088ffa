import { fail, redirect } from "@sveltejs/kit";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { returnPath, route } from "#lib/route.ts";
import { core, refusalOf } from "#lib/server/core.ts";
import { keepSession } from "#lib/server/session.ts";
import type { Actions, PageServerLoad } from "./$types";

export const load: PageServerLoad = ({ url }) => ({ returnTo: returnPath(url.searchParams.get("return_to")) });

export const actions: Actions = {
  // The only call without a session, so it goes to the core directly: every procedure needs one.
  default: async ({ request, cookies, url }) => {
    const form = await request.formData();
    const username = String(form.get("username") ?? "").trim();
    const password = String(form.get("password") ?? "");
    try {
      const { sessionToken, expiresTime } = await core.accounts.signIn({ username, password });
      if (expiresTime === undefined) throw new Error("The core opened a session without an end.");
      keepSession(cookies, url, sessionToken, timestampDate(expiresTime));
    } catch (error) {
      const { status, reason, message } = refusalOf(error);
      if (reason === "UNKNOWN") throw error;
      return fail(status, { username, message });
    }
    const returnTo = returnPath(url.searchParams.get("return_to"));
    redirect(303, returnTo === route.signIn() ? route.home() : returnTo);
  },
};
