import { error } from "@sveltejs/kit";
import { rememberProject } from "#lib/server/last-project.ts";
import type { LayoutServerLoad } from "./$types";

export const load: LayoutServerLoad = async ({ params, locals, cookies, url }) => {
  if (params.project === "") error(404, "Page not found.");
  const { project } = await locals.api.projects.get({ path: params.project });
  if (project === undefined) error(404, "Page not found.");
  rememberProject(cookies, url, project.path);
  return { project };
};
