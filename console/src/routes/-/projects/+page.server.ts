import { fail, redirect } from "@sveltejs/kit";
import { route } from "#lib/navigation/route.ts";
import {
  activityByProject,
  burningFirst,
  errorsRead,
  newToday,
  trendOf,
  type ProjectActivity,
} from "#lib/projects/project-activity.ts";
import { createProject } from "#lib/server/create-project.ts";
import { refusedInPlace } from "#lib/server/refused-in-place.ts";
import type { Actions, PageServerLoad } from "./$types";
import type { ProjectAnswer } from "#lib/failures/project-answer.ts";
import { allErrors } from "#lib/server/all-errors.ts";
import type { Api } from "#lib/server/trpc/caller.ts";

/**
 * The number of projects asked for their errors, in the same order: the first page has the activity of all its
 * projects.
 */
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

interface ProjectsActivity {
  /** The asked projects, with the data that is known soon. */
  readonly known: readonly ProjectActivity[];
  /** The data that is known later. These promises never reject. */
  readonly late: readonly Promise<ProjectActivity>[];
  /** How many matching projects are not asked. */
  readonly leftOut: number;
}

/** The activity of projects with a text in their path or name. It takes two calls for any number of projects. */
async function projectsActivity(api: Api, project: string): Promise<ProjectsActivity> {
  const [all, fresh] = await Promise.all([
    allErrors(api, { project }, errorsRead),
    allErrors(api, { project, q: newToday, sort: "first_seen" }, 1),
  ]);
  const leastSeen = all.errors.length < errorsRead ? -Infinity : Date.parse(all.errors.at(-1)?.lastSeenTime ?? "");
  const byProject = Map.groupBy(all.errors, ({ projectId }) => projectId);
  const whole = ({ projectId, errors, statusCounts, refusal, staleSinceTime }: ProjectAnswer): ProjectActivity => {
    const openCount = statusCounts?.unresolved;
    if (refusal !== null) return { projectId, refused: refusal.message };
    const trend = trendOf(errors, openCount, leastSeen);
    return { projectId, openCount, trend, isStale: staleSinceTime !== undefined };
  };
  const counted = ({ projectId, statusCounts }: ProjectAnswer): ProjectActivity => ({
    projectId,
    ...(statusCounts && { newCount: statusCounts.unresolved }),
  });
  return {
    known: [
      ...all.projects.map(({ projectId }) => ({ projectId })),
      ...all.answers.map((answer) => whole({ ...answer, errors: byProject.get(answer.projectId) ?? [] })),
      ...fresh.answers.map(counted),
    ],
    late: [...all.late.map((answer) => answer.then(whole)), ...fresh.late.map((answer) => answer.then(counted))],
    leftOut: all.leftOut,
  };
}
