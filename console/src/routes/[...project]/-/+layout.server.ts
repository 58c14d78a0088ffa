import { error } from "@sveltejs/kit";
import { rememberProject } from "#lib/server/last-project.ts";
import { ownersOf } from "#lib/server/owners.ts";
import type { LayoutServerLoad } from "./$types";

export const load: LayoutServerLoad = async ({ params, locals, cookies, url }) => {
  if (params.project === "") error(404, "Page not found.");
  const { project } = await locals.api.projects.getProject({ path: params.project });
  if (project === undefined) error(404, "Page not found.");
  rememberProject(cookies, url, project.path);
  const mayAll = project.capabilities?.removeProject?.allowed === true;
  return { project, owners: mayAll ? [] : await ownersOf(locals.api, project.projectId) };
};
