/** The activity of projects on the home page. Projects with the most events come first. */

import type { TrackedError } from "../messages.ts";

const hourMs = 3_600_000;
const hourCount = 24;
const mostErrors = 2;

/** How many errors of all projects are read; their hours make the trends. */
export const errorsRead = 100;

/** The search for the errors of the last 24 hours. */
export const newToday = "firstSeen:-24h";

/** The known data about a project's unresolved errors. */
export interface ProjectActivity {
  readonly projectId: number;
  /** Their number, at most 1,000. Undefined if the project does not count errors, or has not answered. */
  readonly openCount?: number | undefined;
  /** How many of them were first seen in the last 24 hours, at most 1,000. Undefined in the same cases as openCount. */
  readonly newCount?: number | undefined;
  readonly trend?: Trend | undefined;
  /** The sentence of the refusal, if the project did not answer. */
  readonly refused?: string | undefined;
  /** Whether these are earlier answers, because the external system is down. */
  readonly isStale?: boolean | undefined;
}

interface Trend {
  /** Events by hour, oldest first. */
  readonly counts: readonly number[];
  readonly startTime: string | undefined;
  readonly eventCount: number;
  /** Whether errors with events in these hours may be missing, because only later errors were read. */
  readonly isPartial: boolean;
  /** The errors with the most events in these hours. */
  readonly errors: readonly Pick<TrackedError, "errorId" | "title">[];
}

/** The trend of a project. All errors seen since `leastSeen`, in milliseconds, were read. */
export function trendOf(errors: readonly TrackedError[], openCount: number | undefined, leastSeen: number): Trend {
  const starts = errors.map(startOf).filter((start) => !Number.isNaN(start));
  const start = Math.max(...starts);
  const counts = Array.from({ length: starts.length === 0 ? 0 : hourCount }, (_, hour) =>
    sum(errors.map((error) => error.hourlyCounts[hour + (start - startOf(error)) / hourMs] ?? 0)),
  );
  return {
    counts,
    startTime: starts.length === 0 ? undefined : new Date(start).toISOString(),
    eventCount: sum(counts),
    isPartial: errors.length < (openCount ?? 0) && leastSeen > (starts.length === 0 ? -Infinity : start),
    errors: errors
      .filter(({ hourlyCounts }) => sum(hourlyCounts) > 0)
      .toSorted((a, b) => sum(b.hourlyCounts) - sum(a.hourlyCounts))
      .slice(0, mostErrors)
      .map(({ errorId, title }) => ({ errorId, title })),
  };
}

const startOf = (error: TrackedError) => Date.parse(error.hourlyCountsStartTime ?? "");
const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);

/** Combines the known data of each project; later parts add to earlier parts. */
export function activityByProject(parts: readonly ProjectActivity[]): ReadonlyMap<number, ProjectActivity> {
  const byProject = new Map<number, ProjectActivity>();
  for (const part of parts) byProject.set(part.projectId, { ...byProject.get(part.projectId), ...part });
  return byProject;
}

/**
 * Order of projects: the most events in the last 24 hours first, then projects with unresolved errors or without an
 * answer, then projects without errors, and last the projects that are not asked.
 */
export function burningFirst<Named extends { readonly projectId: number; readonly path: string }>(
  projects: readonly Named[],
  activity: ReadonlyMap<number, ProjectActivity>,
): Named[] {
  const keys = new Map(projects.map((project) => [project, heatOf(activity.get(project.projectId))]));
  return projects.toSorted((a, b) => {
    const [left = [], right = []] = [keys.get(a), keys.get(b)];
    const place = left.findIndex((value, index) => value !== right[index]);
    return place === -1 ? a.path.localeCompare(b.path) : (right[place] ?? 0) - (left[place] ?? 0);
  });
}

function heatOf(activity: ProjectActivity | undefined): readonly number[] {
  if (activity === undefined) return [-1, 0, 0, 0];
  const { trend, newCount = 0, openCount } = activity;
  return [openCount === 0 ? 0 : 1, trend?.eventCount ?? 0, newCount, openCount ?? 0];
}
