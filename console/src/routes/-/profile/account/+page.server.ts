import { fail } from "@sveltejs/kit";
import { refusedAction } from "#lib/server/refused-action.ts";
import { startSession } from "#lib/server/session.ts";
import type { Actions } from "./$types";

export const actions: Actions = {
  profile: async ({ request, locals }) => {
    const form = await request.formData();
    const typed = { name: String(form.get("name") ?? "").trim(), email: String(form.get("email") ?? "").trim() };
    try {
      await locals.api.accounts.updateProfile(typed);
      return { act: "profile" as const };
    } catch (error) {
      const { status, message, field } = refusedAction(error);
      return fail(status, { act: "profile" as const, ...typed, message, field });
    }
  },
  password: async (event) => {
    const form = await event.request.formData();
    const currentPassword = String(form.get("current_password") ?? "");
    const newPassword = String(form.get("new_password") ?? "");
    const revokeAccessTokens = form.has("revoke_access_tokens");
    try {
      const change = { currentPassword, newPassword, revokeAccessTokens };
      const begun = await event.locals.api.accounts.changePassword(change);
      await startSession(event, begun);
      return { act: "password" as const, revokedTokenCount: begun.revokedTokenCount };
    } catch (error) {
      const { status, reason, message, field } = refusedAction(error);
      if (reason !== "WRONG_CREDENTIALS") return fail(status, { act: "password" as const, message, field });
      const wrong = { message: "This is not your password.", field: "current_password" };
      return fail(status, { act: "password" as const, ...wrong });
    }
  },
};
