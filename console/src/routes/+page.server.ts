import { redirect } from "@sveltejs/kit";
import { route } from "#lib/navigation/route.ts";
import { lastProject } from "#lib/server/last-project.ts";
import type { PageServerLoad } from "./$types";

export const load: PageServerLoad = async ({ cookies, locals }) => {
  const path = lastProject(cookies);
  if (path === undefined) redirect(307, route.projects());
  // The project may be gone or hidden by now; then the list of projects is the better start.
  const known = await locals.api.projects.getProject({ path }).then(
    () => true,
    () => false,
  );
  redirect(307, known ? route.errors(path) : route.projects());
};
