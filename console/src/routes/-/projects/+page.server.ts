import { fail, redirect } from "@sveltejs/kit";
import { route } from "#lib/navigation/route.ts";
import { activityByProject, burningFirst } from "#lib/projects/project-activity.ts";
import { createProject } from "#lib/server/create-project.ts";
import { projectsActivity } from "#lib/server/projects-activity.ts";
import { refusedInPlace } from "#lib/server/refused-in-place.ts";
import type { Actions, PageServerLoad } from "./$types";

/** As many as are asked for their errors, in the same order: the first page has the activity of all its projects. */
const pageSize = 100;

export const load: PageServerLoad = async ({ url, locals }) => {
  const query = url.searchParams.get("q")?.trim() ?? "";
  const pageToken = url.searchParams.get("cursor") ?? "";
  const [page, { answer, refusal }] = await Promise.all([
    locals.api.projects.listProjects({ query, pageSize, pageToken }),
    pageToken === ""
      ? refusedInPlace(projectsActivity(locals.api, query))
      : { answer: { known: [], late: [], leftOut: 0 }, refusal: null },
  ]);
  const activity = answer ?? { known: [], late: [], leftOut: 0 };
  const projects = burningFirst(page.projects, activityByProject(activity.known));
  return { query, ...page, projects, activity, isFirst: pageToken === "", failure: refusal?.message };
};

export const actions: Actions = {
  default: async ({ request, locals }) => {
    const { project, refused } = await createProject(await request.formData(), locals.api);
    if (refused) return fail(refused.status, refused);
    redirect(303, route.monitorSettings(project?.path ?? ""));
  },
};
