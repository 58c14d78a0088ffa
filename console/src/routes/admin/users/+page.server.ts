import { fail } from "@sveltejs/kit";
import { action } from "#lib/server/action.ts";
import type { Api } from "#lib/server/trpc/caller.ts";
import { refusalOfTrpc } from "#lib/server/trpc/procedures.ts";
import type { Actions, PageServerLoad } from "./$types";

export const load: PageServerLoad = async ({ url, locals }) => {
  const query = url.searchParams.get("q") ?? "";
  const pageToken = url.searchParams.get("cursor") ?? "";
  const [page, doomed] = await Promise.all([
    locals.api.users.listUsers({ query, pageSize: 50, pageToken }),
    userOrNull(locals.api, Number(url.searchParams.get("remove"))),
  ]);
  return { query, ...page, doomed };
};

async function userOrNull(api: Api, userId: number) {
  if (!Number.isSafeInteger(userId) || userId < 1) return null;
  try {
    return (await api.users.getUser({ userId })).user ?? null;
  } catch (error) {
    if (refusalOfTrpc(error).reason === "USER_NOT_FOUND") return null;
    throw error;
  }
}

export const actions: Actions = {
  create: async ({ request, locals }) => {
    const form = await request.formData();
    const text = (name: string) => String(form.get(name) ?? "").trim();
    const typed = { username: text("username"), name: text("name"), email: text("email") };
    const isAdmin = form.has("is_admin");
    const run = async () => {
      const { user } = await locals.api.users.createUser({ ...typed, isAdmin });
      const link = form.has("link") ? await locals.api.users.createPasswordReset({ userId: user?.userId ?? 0 }) : null;
      return { act: "create" as const, user, link };
    };
    return action(run, ({ reason, field }) => ({
      act: "create" as const,
      ...typed,
      isAdmin,
      field: field === "" && reason === "USERNAME_TAKEN" ? "username" : field,
    }));
  },
  delete: async ({ request, locals }) => {
    const form = await request.formData();
    const userId = Number(form.get("id"));
    return action(
      async () => {
        const { user } = await locals.api.users.getUser({ userId });
        if (user?.username !== String(form.get("typed") ?? "").trim()) {
          return fail(400, { act: "delete" as const, message: `This is not ${user?.username}. Nothing was deleted.` });
        }
        await locals.api.users.deleteUser({ userId });
        return { act: "delete" as const, deleted: user.username };
      },
      { act: "delete" as const },
    );
  },
};
