import { action } from "#lib/server/action.ts";
import { startSession } from "#lib/server/session.ts";
import type { Actions, PageServerLoad } from "./$types";

export const load: PageServerLoad = async ({ locals }) => {
  const { mail } = await locals.api.notificationMail.getMail({});
  if (!mail) throw new Error("The core returned nothing about mail.");
  return { mail };
};

export const actions: Actions = {
  profile: async ({ request, locals }) => {
    const form = await request.formData();
    const typed = { name: String(form.get("name") ?? "").trim(), email: String(form.get("email") ?? "").trim() };
    return action(
      async () => {
        await locals.api.accounts.updateProfile(typed);
        return { act: "profile" as const };
      },
      { act: "profile" as const, ...typed },
    );
  },
  testMail: ({ locals }) =>
    action(
      async () => {
        const { accepted, recipient, answer } = await locals.api.notificationMail.sendTestMail({});
        return { act: "mail" as const, accepted, recipient, answer };
      },
      { act: "mail" as const },
    ),
  confirmation: ({ locals }) =>
    action(
      async () => {
        const { accepted, recipient } = await locals.api.notificationMail.sendAddressConfirmation({});
        return { act: "mail" as const, accepted, recipient };
      },
      { act: "mail" as const },
    ),
  password: async (event) => {
    const form = await event.request.formData();
    const currentPassword = String(form.get("current_password") ?? "");
    const newPassword = String(form.get("new_password") ?? "");
    const revokeAccessTokens = form.has("revoke_access_tokens");
    const run = async () => {
      const change = { currentPassword, newPassword, revokeAccessTokens };
      const begun = await event.locals.api.accounts.changePassword(change);
      await startSession(event, begun);
      return { act: "password" as const, revokedTokenCount: begun.revokedTokenCount };
    };
    const wrong = { message: "This is not your password.", field: "current_password" };
    return action(run, ({ reason, message, field }) => ({
      act: "password" as const,
      ...(reason === "WRONG_CREDENTIALS" ? wrong : { message, field }),
    }));
  },
};
