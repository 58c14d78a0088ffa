import { fail, redirect } from "@sveltejs/kit";
import { route } from "#lib/navigation/route.ts";
import { action } from "#lib/server/action.ts";
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
    const run = async () => {
      const answer = await locals.api.projects.updateProject({
        projectPath: params.project,
        name,
        path,
        monitorEnabled,
        codeUrl,
        codeRoot,
      });
      const saved = answer.project?.path ?? path;
      if (saved !== params.project) redirect(303, route.generalSettings(saved));
      return { act: "save" as const };
    };
    return action(run, ({ reason, field }) => ({
      act: "save" as const,
      name,
      path,
      monitorEnabled,
      codeUrl,
      codeRoot,
      field: reason === "PROJECT_PATH_TAKEN" ? "path" : field,
    }));
  },
  delete: async ({ request, locals, params }) => {
    const typed = String((await request.formData()).get("typed") ?? "").trim();
    const run = async () => {
      const { project } = await locals.api.projects.getProject({ path: params.project });
      if (typed !== project?.path) {
        return fail(400, { act: "delete" as const, message: "This is not the path of the project." });
      }
      await locals.api.projects.deleteProject({ projectId: project.projectId });
      redirect(303, route.projects());
    };
    return action(run, { act: "delete" as const });
  },
};
