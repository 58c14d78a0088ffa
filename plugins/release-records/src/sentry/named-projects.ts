import { ServiceError, type HttpCall, type HttpAnswer } from "@faultline/plugin";
import { ErrorReason } from "@faultline/proto";

/** An answer with a body. The package `sentry` keeps answers that lack cache headers for five minutes. */
export const managed = (body: unknown, status = 200): HttpAnswer => ({
  status,
  headers: { "Cache-Control": "no-store" },
  body,
});

/** A refusal, which Sentry's tools print: the cause, and the next step. */
const detail = (status: number, text: string): HttpAnswer => managed({ detail: text }, status);

/** An answer that ends a request early; `answered` returns it. */
export class Refusal extends Error {
  readonly answer: HttpAnswer;

  constructor(status: number, text: string) {
    super(text);
    this.answer = detail(status, text);
  }
}

/** Runs the code of a route, which may throw a Refusal. */
export async function answered(run: () => Promise<HttpAnswer>): Promise<HttpAnswer> {
  try {
    return await run();
  } catch (thrown) {
    if (thrown instanceof Refusal) return thrown.answer;
    throw thrown;
  }
}

/** The two slugs by which Sentry names a project. */
interface Slugs {
  readonly organization: string;
  readonly project: string;
}

/** How slugs and paths of projects belong together. */
export interface SlugForms {
  /** The path of the project; undefined if no path has the slugs. */
  pathOf(slugs: Slugs): string | undefined;
  slugsOf(path: string): Slugs;
}

/** A project of a request. */
export interface NamedProject {
  readonly key: { readonly projectId: number } | { readonly projectPath: string };
  readonly slug: string;
}

/** Projects that a call may name. */
const mostProjects = 20;

/** Pages of projects that are read to find the projects of an organization. */
const mostPages = 20;

/** The projects that an address and a body name; empty if they name none. */
export function projectsNamed(call: HttpCall, slugs: readonly string[], { pathOf }: SlugForms): NamedProject[] {
  const { organization = "", project } = call.path;
  const named = [...new Set(project === undefined ? slugs : [project])];
  if (named.length > mostProjects) throw new Refusal(400, `Name at most ${mostProjects} projects.`);
  return named.map((slug) => {
    if (isId.test(slug)) return { key: { projectId: Number(slug) }, slug };
    const projectPath = pathOf({ organization, project: slug });
    if (projectPath === undefined) throw new Refusal(404, `There is no project ${slug}.`);
    return { key: { projectPath }, slug };
  });
}

/**
 * The projects of a request for a recorded release: the projects that it names, otherwise the organization's projects with a
 * record of the release where the token may record, because Sentry's tools name the project only when they begin. Refuses with
 * 404 if there is no such record.
 */
export async function projectsRecording(
  call: HttpCall,
  { version, slugs }: { readonly version: string; readonly slugs: readonly string[] },
  forms: SlugForms,
): Promise<NamedProject[]> {
  const named = projectsNamed(call, slugs, forms);
  if (named.length > 0) return named;
  const { projects } = await call.core.releaseRecords.listRecordingProjects({ version }, call);
  const found = projects
    .map(({ projectId, path }) => ({ key: { projectId }, ...forms.slugsOf(path) }))
    .filter(({ organization }) => organization.toLowerCase() === call.path["organization"]?.toLowerCase())
    .map(({ key, project }) => ({ key, slug: project }));
  if (found.length === 0) throw notRecorded(version);
  if (found.length > mostProjects)
    throw new Refusal(400, `More than ${mostProjects} projects have this release. Name the project.`);
  return found;
}

/**
 * The projects that a list names by `project`, or all of the organization that the caller sees. Each has its slug, also where
 * it was named by its id.
 */
export async function projectsListed(call: HttpCall, forms: SlugForms): Promise<NamedProject[]> {
  const ids = call.query.getAll("project").filter((one) => one !== "" && one !== "-1"); // -1 means all
  const named = projectsNamed(call, ids, forms);
  if (named.length > 0) return Promise.all(named.map((project) => withSlug(call, project, forms)));
  const organization = call.path["organization"] ?? "";
  const found: NamedProject[] = [];
  const asked = { query: organization === "-" ? "" : `${organization}/`, pageSize: 100 };
  for (let pageToken = "", pages = 0; pages === 0 || (pageToken !== "" && pages < mostPages); pages += 1) {
    const page = await call.core.projects.listProjects({ ...asked, pageToken }, call);
    for (const { projectId, path, capabilities } of page.projects) {
      const slugs = forms.slugsOf(path);
      const isOwn = slugs.organization.toLowerCase() === organization.toLowerCase();
      if (isOwn && capabilities?.read?.allowed === true) found.push({ key: { projectId }, slug: slugs.project });
    }
    if (found.length > mostProjects) {
      throw new Refusal(400, `The organization has more than ${mostProjects} projects. Name them by project=<id>.`);
    }
    pageToken = page.nextPageToken;
  }
  if (found.length === 0) throw new Refusal(404, `There is no project in the organization ${organization}.`);
  return found;
}

/** The project with its slug. A token for uploads, which reads no projects, keeps the name that it gave. */
export async function withSlug(call: HttpCall, { key, slug }: NamedProject, forms: SlugForms): Promise<NamedProject> {
  const asked =
    "projectId" in key
      ? ({ case: "projectId", value: key.projectId } as const)
      : ({ case: "path", value: key.projectPath } as const);
  const { project } = (await unlessUploading(call.core.projects.getProject({ key: asked }, call))) ?? {};
  if (!project) return { key, slug };
  const slugs = forms.slugsOf(project.path);
  const { organization = "" } = call.path;
  if (slugs.organization.toLowerCase() !== organization.toLowerCase()) {
    throw new Refusal(404, `There is no project ${slug} in the organization ${organization}.`);
  }
  return { key: { projectId: project.projectId }, slug: slugs.project };
}

export const notRecorded = (version: string) =>
  new Refusal(404, `No release ${version} is recorded here. Record it first: sentry-cli releases new.`);

const isId = /^[1-9]\d{0,8}$/;

/** Makes a call; undefined if the token may only upload, and so reads nothing. */
export const unlessUploading = <T>(call: Promise<T>) => unlessRefused(ErrorReason.INSUFFICIENT_SCOPE, call);

/** Makes a call; undefined if it is refused with the reason. */
export async function unlessRefused<T>(reason: ErrorReason, call: Promise<T>): Promise<T | undefined> {
  return call.catch((refusal: unknown) => {
    if (refusal instanceof ServiceError && refusal.reason === reason) return undefined;
    throw refusal;
  });
}
