import { error } from "@sveltejs/kit";
import { rememberProject } from "#lib/server/last-project.ts";
import type { LayoutServerLoad } from "./$types";
import type { Api } from "#lib/server/trpc/caller.ts";

export const load: LayoutServerLoad = async ({ params, locals, cookies, url }) => {
  if (params.project === "") error(404, "Page not found.");
  const { project } = await locals.api.projects.getProject({ path: params.project });
  if (project === undefined) error(404, "Page not found.");
  rememberProject(cookies, url, project.path);
  const mayAll = project.capabilities?.removeProject?.allowed === true;
  return { project, owners: mayAll ? [] : await ownersOf(locals.api, project.projectId) };
};

/**
 * The names of a project's owners, so that members know whom to ask for more rights. Empty if they cannot be read,
 * because pages work without the names.
 */
async function ownersOf(api: Api, projectId: number): Promise<string[]> {
  try {
    const { members } = await api.members.listMembers({ projectId, pageSize: 100 });
    return members
      .filter(({ role }) => role === "ROLE_OWNER")
      .flatMap(({ user }) => (user === undefined ? [] : [user.name || user.username]));
  } catch {
    return [];
  }
}
