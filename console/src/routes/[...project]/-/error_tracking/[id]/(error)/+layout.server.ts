import { error as fail } from "@sveltejs/kit";
import type { LayoutServerLoad } from "./$types";

export const load: LayoutServerLoad = async ({ parent, params, locals }) => {
  const { project } = await parent();
  const { error } = await locals.api.errors.get({ projectId: project.projectId, errorId: params.id });
  if (error === undefined) fail(404, "Page not found.");
  return { error };
};
