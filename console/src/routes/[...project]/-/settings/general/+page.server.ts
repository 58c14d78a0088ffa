import { fail, redirect } from "@sveltejs/kit";
import { route } from "#lib/route.ts";
import { refusalOfTrpc } from "#lib/server/trpc/procedures.ts";
import type { Actions } from "./$types";

export const actions: Actions = {
  default: async ({ request, locals, params }) => {
    const form = await request.formData();
    const name = String(form.get("name") ?? "").trim();
    const path = String(form.get("path") ?? "").trim();
    const monitorEnabled = form.has("monitor_enabled");
    let saved: string;
    try {
      const { project } = await locals.api.projects.get({ path: params.project });
      const answer = await locals.api.projects.update({
        projectId: project?.projectId ?? 0,
        name,
        path,
        monitorEnabled,
      });
      saved = answer.project?.path ?? path;
    } catch (error) {
      const refusal = refusalOfTrpc(error);
      if (refusal.status >= 500) throw error;
      const field = refusal.reason === "PROJECT_PATH_TAKEN" ? "path" : refusal.field;
      return fail(refusal.status, { saved: false, name, path, monitorEnabled, field, message: refusal.message });
    }
    if (saved !== params.project) redirect(303, route.generalSettings(saved));
    return { saved: true };
  },
};
