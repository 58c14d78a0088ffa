import type { ProjectAnswer } from "#lib/failures/project-answer.ts";
import { errorsRead, newToday, trendOf, type ProjectActivity } from "#lib/projects/project-activity.ts";
import { allErrors } from "#lib/server/all-errors.ts";
import type { Api } from "#lib/server/trpc/caller.ts";

interface ProjectsActivity {
  /** The projects that are asked, with what is known soon. */
  readonly known: readonly ProjectActivity[];
  /** What is known later. None of it fails. */
  readonly late: readonly Promise<ProjectActivity>[];
  /** How many projects match that are not asked. */
  readonly leftOut: number;
}

/** The activity of the projects whose path or name contains a text: two calls, however many they are. */
export async function projectsActivity(api: Api, project: string): Promise<ProjectsActivity> {
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
