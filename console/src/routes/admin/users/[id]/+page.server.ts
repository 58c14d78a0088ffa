import { error } from "@sveltejs/kit";
import type { UpdateUserRequestJson } from "@faultline/proto";
import { action } from "#lib/server/action.ts";
import type { Actions, PageServerLoad } from "./$types";

/** The id in the address; any other text names no user. */
const idOf = (text: string) => (/^\d{1,9}$/.test(text) ? Number(text) : 0);

export const load: PageServerLoad = async ({ params, locals, parent }) => {
  const { user: own } = await parent();
  const userId = idOf(params.id);
  if (userId === 0) error(404, "Page not found.");
  const { user } = await locals.api.users.getUser({ userId });
  if (user === undefined) error(404, "Page not found.");
  return { shown: user, isOwn: user.userId === own.userId };
};

/** The changes that the buttons make, by the value of the button. */
const changes: Readonly<Record<string, Pick<UpdateUserRequestJson, "isAdmin" | "isBlocked">>> = {
  promote: { isAdmin: true },
  demote: { isAdmin: false },
  block: { isBlocked: true },
  unblock: { isBlocked: false },
};

export const actions: Actions = {
  save: async ({ request, locals, params }) => {
    const form = await request.formData();
    const text = (name: string) => String(form.get(name) ?? "").trim();
    const typed = { username: text("username"), name: text("name"), email: text("email") };
    const run = async () => {
      await locals.api.users.updateUser({ userId: idOf(params.id), ...typed });
      return { act: "save" as const };
    };
    return action(run, ({ reason, field }) => ({
      act: "save" as const,
      ...typed,
      field: field === "" && reason === "USERNAME_TAKEN" ? "username" : field,
    }));
  },
  change: async ({ request, locals, params }) => {
    const change = changes[String((await request.formData()).get("change"))] ?? {};
    return action(
      async () => {
        await locals.api.users.updateUser({ userId: idOf(params.id), ...change });
        return { act: "change" as const };
      },
      { act: "change" as const },
    );
  },
  link: async ({ locals, params }) => {
    return action(
      async () => {
        const link = await locals.api.users.createPasswordReset({ userId: idOf(params.id) });
        return { act: "link" as const, link };
      },
      { act: "link" as const },
    );
  },
};
