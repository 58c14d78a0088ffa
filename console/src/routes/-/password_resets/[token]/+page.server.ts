import { redirect } from "@sveltejs/kit";
import { route } from "#lib/navigation/route.ts";
import { action, refusedCall } from "#lib/server/action.ts";
import type { Actions, PageServerLoad } from "./$types";

export const load: PageServerLoad = async ({ params: { token }, locals }) => {
  try {
    const { username, accessTokenCount } = await locals.api.users.getPasswordReset({ token });
    return { username, accessTokenCount, refusal: "" };
  } catch (error) {
    return { username: "", accessTokenCount: 0, refusal: refusedCall(error).message };
  }
};

export const actions: Actions = {
  default: async ({ request, params: { token }, locals }) => {
    const form = await request.formData();
    const password = String(form.get("password") ?? "");
    const keepAccessTokens = form.has("asked_about_tokens") && !form.has("revoke_access_tokens");
    return action(async () => {
      await locals.api.users.resetPassword({ token, password, keepAccessTokens });
      redirect(303, `${route.signIn()}?password_set`);
    });
  },
};
