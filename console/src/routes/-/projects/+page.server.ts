import { fail, redirect } from "@sveltejs/kit";
import { route } from "#lib/navigation/route.ts";
import { createProject } from "#lib/server/create-project.ts";
import type { Actions, PageServerLoad } from "./$types";

const pageSize = 50;

export const load: PageServerLoad = async ({ url, locals }) => {
  const query = url.searchParams.get("q") ?? "";
  const page = await locals.api.projects.listProjects({
    query,
    pageSize,
    pageToken: url.searchParams.get("cursor") ?? "",
  });
  return { query, ...page };
};

export const actions: Actions = {
  default: async ({ request, locals }) => {
    const { project, refused } = await createProject(await request.formData(), locals.api);
    if (refused) return fail(refused.status, refused);
    redirect(303, route.monitorSettings(project?.path ?? ""));
  },
};
