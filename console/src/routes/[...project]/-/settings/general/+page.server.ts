import { fail, redirect } from "@sveltejs/kit";
import { route } from "#lib/navigation/route.ts";
import { refusedAction } from "#lib/server/refused-action.ts";
import { settingsNeed } from "#lib/server/settings-need.ts";
import type { Actions, PageServerLoad } from "./$types";

export const load: PageServerLoad = async ({ parent, url }) => {
  const { project } = await parent();
  settingsNeed(project, project.capabilities?.adminProject);
  return { deleting: url.searchParams.has("delete") };
};

export const actions: Actions = {
  save: async ({ request, locals, params }) => {
    const form = await request.formData();
    const name = String(form.get("name") ?? "").trim();
    const path = String(form.get("path") ?? "").trim();
    const monitorEnabled = form.has("monitor_enabled");
    const codeUrl = String(form.get("code_url") ?? "").trim();
    const codeRoot = String(form.get("code_root") ?? "").trim();
    let saved: string;
    try {
      const { project } = await locals.api.projects.getProject({ path: params.project });
      const answer = await locals.api.projects.updateProject({
        projectId: project?.projectId ?? 0,
        name,
        path,
        monitorEnabled,
        codeUrl,
        codeRoot,
      });
      saved = answer.project?.path ?? path;
    } catch (error) {
      const { status, reason, field, message } = refusedAction(error);
      const at = reason === "PROJECT_PATH_TAKEN" ? "path" : field;
      const typed = { name, path, monitorEnabled, codeUrl, codeRoot };
      return fail(status, { act: "save" as const, ...typed, field: at, message });
    }
    if (saved !== params.project) redirect(303, route.generalSettings(saved));
    return { act: "save" as const };
  },
  delete: async ({ request, locals, params }) => {
    const typed = String((await request.formData()).get("typed") ?? "").trim();
    try {
      const { project } = await locals.api.projects.getProject({ path: params.project });
      if (typed !== project?.path) {
        return fail(400, { act: "delete" as const, message: "This is not the path of the project." });
      }
      await locals.api.projects.deleteProject({ projectId: project.projectId });
    } catch (error) {
      const { status, message } = refusedAction(error);
      return fail(status, { act: "delete" as const, message });
    }
    redirect(303, route.projects());
  },
};
