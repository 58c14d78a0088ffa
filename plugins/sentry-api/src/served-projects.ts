import { ServiceError } from "@faultline/plugin";
import { ErrorReason, type GetProjectRequest, type Project } from "@faultline/proto";
import { pathPart, type ApiCall } from "./call.ts";
import { isOf, pathOf } from "./slugs.ts";

/**
 * Whether a project's errors are stored here. A project that reads another system is not served and looks missing:
 * otherwise two installations could read each other in circles.
 */
function isServed({ capabilities }: Project): boolean {
  return (capabilities?.retentionDays ?? 0) > 0;
}

/** The project named by `:organization` and `:project`, each a slug or an id. */
export async function namedProject(call: ApiCall): Promise<Project> {
  const organization = pathPart(call, "organization");
  const slug = pathPart(call, "project");
  const path = pathOf({ organization, project: slug });
  if (path === undefined) throw projectNotFound();
  const project = await servedProject(call, { case: "path", value: path }).catch((refusal: unknown) => {
    if (!isMissing(refusal) || !isId(slug)) throw refusal;
    return servedProject(call, projectKey(slug));
  });
  if (!isOf(organization, project.path)) throw projectNotFound();
  return project;
}

/** A served project; refuses with PROJECT_NOT_FOUND if it is missing or not served. */
export async function servedProject(call: ApiCall, key: GetProjectRequest["key"]): Promise<Project> {
  const { project } = await call.core.projects.getProject({ key }, call);
  if (!project || !isServed(project)) throw projectNotFound();
  return project;
}

/** Projects per call of the core, and the maximum number of calls per answer. */
const corePage = 100;
const corePages = 20;

/** A page of served projects that the caller may read. */
export interface Listed {
  readonly projects: Project[];
  /** How many of the caller's projects precede the next page; undefined on the last page. */
  readonly nextSkip: number | undefined;
}

/**
 * Lists up to `size` projects by path, of one organization or of all, filtered by `query` in path or name. Projects
 * that are not served are skipped, so the offset counts projects of the core.
 */
export async function listServed(
  call: ApiCall,
  {
    skip = 0,
    size,
    organization,
    query: words = "",
  }: { skip?: number; size: number; organization?: string | undefined; query?: string },
): Promise<Listed> {
  const query = organization === undefined || organization === "-" ? "" : `${organization}/`;
  const projects: Project[] = [];
  let place = skip;
  for (let pages = 0; pages < corePages; pages += 1) {
    const request = { query, pageSize: corePage, skip: place };
    const page = await call.core.projects.listProjects(request, call);
    for (const project of page.projects) {
      if (projects.length === size) return { projects, nextSkip: place };
      place += 1;
      const isNamed = `${project.path} ${project.name}`.toLowerCase().includes(words.toLowerCase());
      const isWanted = isNamed && (organization === undefined || isOf(organization, project.path));
      if (isWanted && isServed(project) && project.capabilities?.read?.allowed === true) projects.push(project);
    }
    if (page.nextPageToken === "") return { projects, nextSkip: undefined };
  }
  return { projects, nextSkip: place };
}

/** The first projects of an organization. Refuses if it has none, because it then does not exist. */
export async function projectsOf(call: ApiCall, organization: string, size: number): Promise<Project[]> {
  const { projects } = await listServed(call, { size, organization });
  if (projects.length === 0) throw projectNotFound();
  return projects;
}

export function isId(text: string): boolean {
  return /^[1-9]\d{0,8}$/.test(text);
}

/** The key of a project by its id; refuses an invalid id. */
export function projectKey(id: string): GetProjectRequest["key"] {
  return { case: "projectId", value: Number(id) };
}

function isMissing(refusal: unknown): boolean {
  const missing: readonly ErrorReason[] = [ErrorReason.PROJECT_NOT_FOUND, ErrorReason.ERROR_NOT_FOUND];
  return refusal instanceof ServiceError && missing.includes(refusal.reason);
}

/** The result; undefined if it is missing or hidden. */
export async function unlessMissing<Found>(finding: Promise<Found>): Promise<Found | undefined> {
  return finding.catch((refusal: unknown) => {
    if (isMissing(refusal)) return undefined;
    throw refusal;
  });
}

export function projectNotFound(): ServiceError {
  return new ServiceError(
    ErrorReason.PROJECT_NOT_FOUND,
    "This project does not exist, or you do not have access to it.",
  );
}
