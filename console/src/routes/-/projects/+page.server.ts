import { fail, redirect } from "@sveltejs/kit";
import { suggestedPath } from "#lib/project-path.ts";
import { route } from "#lib/route.ts";
import { refusalOfTrpc } from "#lib/server/trpc/procedures.ts";
import type { Actions, PageServerLoad } from "./$types";

const pageSize = 50;

export const load: PageServerLoad = async ({ url, locals }) => {
  const query = url.searchParams.get("q") ?? "";
  const page = await locals.api.projects.list({
    query,
    pageSize,
    pageToken: url.searchParams.get("cursor") ?? "",
  });
  return { query, ...page };
};

export const actions: Actions = {
  default: async ({ request, locals }) => {
    const form = await request.formData();
    const name = String(form.get("name") ?? "").trim();
    const path = String(form.get("path") ?? "").trim() || suggestedPath(name);
    let created: string;
    try {
      const { project } = await locals.api.projects.create({ name, path });
      created = project?.path ?? path;
    } catch (error) {
      const refusal = refusalOfTrpc(error);
      if (refusal.status >= 500) throw error;
      const field = refusal.reason === "PROJECT_PATH_TAKEN" ? "path" : refusal.field;
      return fail(refusal.status, { name, path, field, message: refusal.message });
    }
    redirect(303, route.monitorSettings(created));
  },
};
