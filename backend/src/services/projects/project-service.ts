import { ServiceError, type Handlers, invalidField, pageSizeOf, pageToken, readPageToken } from "@faultline/plugin";
import { ErrorReason, Role, type ProjectService } from "@faultline/proto";
import type { EntityManager } from "@mikro-orm/sql";
import type { CoreCall } from "../access/guard.ts";
import { MemberEntity } from "../tables/member.ts";
import { ProjectEntity } from "../tables/project.ts";
import { mayCreateProjects, refuseUnless } from "../instance/delegation.ts";
import { codeRoot, codeUrl } from "../code-links/code-url.ts";
import {
  projectDeletion,
  projectRow,
  refuseTakenPath,
  readProject,
  projectChanged,
  type ProjectParts,
  shownProject,
} from "./project-deletion.ts";
import { SettingsEntity } from "../tables/settings.ts";
import { visibleProjects } from "../access/visible-projects.ts";

/**
 * Per person who is not an administrator: the limits of a project would mean little if a person could create any number
 * of projects.
 */
const projectsOwned = 100;

export function projectService(parts: ProjectParts): Handlers<typeof ProjectService, CoreCall> {
  const { orm, clock, memory, delegated } = parts;

  return {
    listProjects: listProjects(parts),
    ...projectDeletion(parts),

    async createProject(request, { caller }) {
      refuseUnless(mayCreateProjects(delegated, caller.user));
      const path = projectPath(request.path);
      const name = projectName(request.name || (path.split("/").at(-1) ?? ""));
      const now = clock.now();
      const projectId = await orm.em
        .fork()
        .transactional(async (em) => {
          if (!caller.user.isAdmin) await refuseTooMany(em, caller.user.id);
          const id = await em.insert(ProjectEntity, { path, name, monitorEnabled: true, createdAt: now });
          await em.insert(MemberEntity, { projectId: id, userId: caller.user.id, role: Role.OWNER, createdAt: now });
          return id;
        })
        .catch((error: unknown) => refuseTakenPath(error, path));
      memory.changed();
      return { project: await readProject(parts, caller.user, projectId) };
    },

    async getProject(_request, { grant, caller }) {
      return { project: await readProject(parts, caller.user, grant) };
    },

    async updateProject(request, { caller }) {
      const { projectId } = request;
      await orm.em
        .fork()
        .transactional(async (em) => {
          const row = await projectRow(em, projectId);
          if (request.name !== undefined) row.name = projectName(request.name);
          if (request.path !== undefined) row.path = projectPath(request.path);
          if (request.monitorEnabled !== undefined) row.monitorEnabled = request.monitorEnabled;
          if (request.codeUrl !== undefined) row.codeUrl = codeUrl(request.codeUrl);
          if (request.codeRoot !== undefined) row.codeRoot = codeRoot(request.codeRoot);
        })
        .catch((error: unknown) => refuseTakenPath(error, request.path ?? ""));
      projectChanged(parts);
      return { project: await readProject(parts, caller.user, projectId) };
    },
  };
}

/** Deleted projects count while they can be restored because their data is still stored. */
async function refuseTooMany(em: EntityManager, userId: number): Promise<void> {
  if ((await em.count(MemberEntity, { userId, role: Role.OWNER })) < projectsOwned) return;
  throw new ServiceError(
    ErrorReason.LIMIT_REACHED,
    `You own ${projectsOwned} projects, including projects deleted in the last seven days, and cannot create more. Ask an administrator to create the project.`,
  );
}

/** The first parts of paths that are addresses of the product. */
const reserved = new Set(["api", "errortracking/api", "admin", "_app", "favicon.ico", "robots.txt"]);

/**
 * The path of a project in its stored form: 1 to 5 parts of [A-Za-z0-9_.-] joined by `/`. Refuses others with a
 * sentence.
 */
export function projectPath(text: string): string {
  // Before the pattern below, which takes quadratic time on a long run of slashes.
  if (text.length > 255) throw invalidField("path", "A path has at most 255 characters.");
  const path = text.trim().replace(/^\/+|\/+$/g, "");
  if (path === "") throw invalidField("path", "Give the project a path such as acme/web.");
  const parts = path.split("/");
  if (parts.length > 5) throw invalidField("path", "A path has at most 5 parts.");
  if (!parts.every((part) => /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/.test(part))) {
    throw invalidField(
      "path",
      "A path has parts of letters, digits, '_', '.' and '-', joined by '/', and each part begins with a letter, a digit or '_'.",
    );
  }
  const taken = [1, 2]
    .map((count) => parts.slice(0, count).join("/"))
    .find((beginning) => reserved.has(beginning.toLowerCase()));
  if (taken !== undefined) {
    throw invalidField("path", `A path cannot begin with ${taken}, which is an address of Faultline itself.`);
  }
  return path;
}

/** The display name of a project, 1 to 255 characters. */
export function projectName(text: string): string {
  const name = text.trim();
  if (name === "" || name.length > 255) throw invalidField("name", "Give the project a name of 1 to 255 characters.");
  return name;
}

/** A page of the projects that the caller may see, by path. */
function listProjects(parts: ProjectParts): Handlers<typeof ProjectService, CoreCall>["listProjects"] {
  const { orm, grants, delegated } = parts;
  return async (request, { caller }) => {
    const place = readPageToken("projects", request.pageToken, ["string"]);
    const size = pageSizeOf(request);
    const em = orm.em.fork();
    const where = visibleProjects(em, caller.user, { text: request.query.trim() });
    const rows = await em.find(
      ProjectEntity,
      { ...where, ...(place && { path: { $gt: place[0] } }) },
      { orderBy: { path: "asc" }, limit: size + 1, offset: place ? 0 : request.skip },
    );
    const page = rows.slice(0, size);
    const settings = await em.find(SettingsEntity, { id: { $in: page.map((row) => row.id) } });
    const settingsOf = new Map(settings.map((row) => [row.id, row]));
    const listed = await Promise.all(
      page.map(async (row) => {
        const grant = await grants.of(caller.user, row.id).catch(unlessGone);
        return grant && shownProject(parts, settingsOf.get(row.id) ?? null, { grant, user: caller.user });
      }),
    );
    const last = page.at(-1);
    return {
      projects: listed.filter((project) => project !== undefined),
      nextPageToken: rows.length > size && last ? pageToken("projects", [last.path]) : "",
      totalSize: await em.count(ProjectEntity, where),
      createProject: mayCreateProjects(delegated, caller.user),
    };
  };
}

/** Leaves out a project that was deleted while it was being listed. */
function unlessGone(error: unknown): undefined {
  if (!(error instanceof ServiceError && error.reason === ErrorReason.PROJECT_NOT_FOUND)) throw error;
}
