import { invalidField, ServiceError } from "@faultline/plugin";
import { ErrorReason, ErrorSort, type Error as TrackedError, type Project } from "@faultline/proto";
import { pathPart, type ApiCall, type Resource } from "../call.ts";
import { changed, checkedIds, idsOf, update } from "../issue-ids.ts";
import { answerPage, issuePageOf, maxHits, type IssuePage } from "../issue-page.ts";
import { perPageOf } from "../pages.ts";
import { issueSearchOf, type IssueSearch } from "../search.ts";
import { projectIdOf, readError, servedIssue } from "../served-issue.ts";
import { isId, projectKey, projectsOf, servedProject, unlessMissing } from "../served-projects.ts";
import { isOf } from "../slugs.ts";
import { statsPeriodOf } from "../stats.ts";
import { statusOf } from "../status.ts";
import { windowOf } from "../times.ts";

/** The most projects of an organization to list issues of together. */
const maxProjects = 20;

/**
 * The issues of an organization: of the projects in `project`, or of all. A single project has further pages; several
 * projects, up to 20, have only the first page.
 */
export const listOrganizationIssues: Resource = async (call) => {
  const period = statsPeriodOf(call, "groupStatsPeriod");
  const search = issueSearchOf(call, windowOf(call));
  const pageSize = perPageOf(call);
  const projects = await chosenProjects(call);
  const groups = call.query.getAll("group");
  if (groups.length > 0) return answerPage(call, await namedIssues(call, projects, groups), period);
  const [first] = projects;
  if (first && projects.length === 1) {
    return answerPage(call, await issuePageOf(call, first, { search, pageSize }), period);
  }
  if (call.query.get("cursor")) {
    throw invalidField("cursor", "Several projects have no further pages. Name one by project=<id>.");
  }
  const pages = await firstPages(call, projects, { search, pageSize });
  const issues = pages.flatMap((page) => page.issues).toSorted((a, b) => order(search.sort, a.error, b.error));
  const hits = Math.min(
    pages.reduce((sum, page) => sum + page.hits, 0),
    maxHits,
  );
  return answerPage(call, { issues: issues.slice(0, pageSize), hits }, period);
};

/**
 * The first pages of several projects. A tag that only some of the projects have is searched for only in them. A search
 * is refused if every project refuses it.
 */
async function firstPages(
  call: ApiCall,
  projects: readonly Project[],
  asked: { search: IssueSearch; pageSize: number },
): Promise<IssuePage[]> {
  const pages: IssuePage[] = [];
  const refusals: ServiceError[] = [];
  // In sequence: the core allows each user few concurrent searches.
  for (const project of projects) {
    try {
      pages.push(await issuePageOf(call, project, asked));
    } catch (error) {
      if (!(error instanceof ServiceError) || error.field !== "query") throw error;
      refusals.push(error);
    }
  }
  const [refusal] = refusals;
  if (refusal && pages.length === 0) throw refusal;
  return pages;
}

/** Sets the status of the issues in `id`, in any project of the organization. */
export const updateOrganizationIssues: Resource = async (call) => {
  const status = statusOf(call);
  const ids = idsOf(call);
  const organization = pathPart(call, "organization");
  await projectsOf(call, organization, 1); // an organization without a project does not exist
  const found = await Promise.all(ids.map((id) => unlessMissing(servedIssue(call, id))));
  const own = found.flatMap((issue) => (issue && isOf(organization, issue.project.path) ? [issue] : []));
  if (own.some(({ project }) => project.capabilities?.updateStatus?.allowed !== true)) {
    // Checked before any change: otherwise the core would change the first projects and refuse the later ones.
    throw new ServiceError(ErrorReason.FORBIDDEN, "You may not change the errors of each of these projects.");
  }
  let count = 0;
  for (const [projectId, issues] of Map.groupBy(own, ({ project }) => project.projectId)) {
    count += await update(call, { projectId, ids: issues.map(({ errorId }) => errorId), status });
  }
  return changed(count, status);
};

/** The issues with these ids, in any status; issues of other projects are left out. */
async function namedIssues(call: ApiCall, projects: readonly Project[], groups: readonly string[]): Promise<IssuePage> {
  const found = await Promise.all(
    checkedIds("group", groups).map(async (errorId) => {
      const projectId = await unlessMissing(projectIdOf(call, errorId));
      const project = projects.find((one) => one.projectId === projectId);
      return project ? [{ error: await readError(call, { errorId, project }), project }] : [];
    }),
  );
  const issues = found.flat();
  return { issues, hits: issues.length };
}

/** The projects in `project`, or all projects of the organization. Refuses more than can be listed together. */
async function chosenProjects(call: ApiCall): Promise<Project[]> {
  const organization = pathPart(call, "organization");
  const ids = new Set(call.query.getAll("project").filter((id) => id !== "" && id !== "-1")); // -1 means all
  if (![...ids].every(isId)) throw invalidField("project", "Invalid project parameter. Values must be numbers.");
  if (ids.size > maxProjects) throw tooManyProjects();
  if (ids.size === 0) {
    const projects = await projectsOf(call, organization, maxProjects + 1);
    if (projects.length > maxProjects) throw tooManyProjects();
    return projects;
  }
  await projectsOf(call, organization, 1); // an organization without a project does not exist
  const found = await Promise.all([...ids].map((id) => unlessMissing(servedProject(call, projectKey(id)))));
  return found.map((project) => {
    if (project && isOf(organization, project.path)) return project;
    throw invalidField("project", "A project does not exist in this organization, or you do not have access to it.");
  });
}

function tooManyProjects(): ServiceError {
  return invalidField(
    "project",
    `The issues of at most ${maxProjects} projects are listed at a time. Name them by project=<id>.`,
  );
}

/** Compares issues in the core's order for one project. */
function order(sort: ErrorSort, a: TrackedError, b: TrackedError): number {
  const seconds = (time: TrackedError["lastSeenTime"]) => Number(time?.seconds ?? 0n) + (time?.nanos ?? 0) / 1e9;
  const value = (error: TrackedError) => {
    if (sort === ErrorSort.EVENT_COUNT) return error.eventCount;
    if (sort === ErrorSort.USER_COUNT) return error.affectedUserCount;
    return seconds(sort === ErrorSort.FIRST_SEEN ? error.firstSeenTime : error.lastSeenTime);
  };
  return value(b) - value(a) || Number(b.errorId) - Number(a.errorId);
}
