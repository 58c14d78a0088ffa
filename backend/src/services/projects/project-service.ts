import { ServiceError, type Handlers } from "@faultline/plugin";
import { ErrorReason, Role, type ProjectService } from "@faultline/proto";
import type { EntityManager } from "@mikro-orm/sql";
import type { CoreCall } from "../access/guard.ts";
import { MemberEntity } from "../members/member.ts";
import { ProjectEntity } from "./project.ts";
import { mayCreateProjects, refuseUnless } from "../instance/delegation.ts";
import { codeRoot, codeUrl } from "../code-links/code-url.ts";
import { projectName, projectPath } from "./project-path.ts";
import { readProject, projectChanged, type ProjectParts } from "./shown-project.ts";
import { refuseTakenPath } from "./taken-path.ts";
import { listProjects } from "./list-projects.ts";
import { projectDeletion } from "./project-deletion.ts";
import { projectRow } from "./project-row.ts";

/**
 * Per person who is no administrator: the limits of a project would mean little if a person could create any number of
 * projects.
 */
const projectsOwned = 100;

/** Projects. */
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

/** Deleted projects count while they can be restored, as their data is still stored. */
async function refuseTooMany(em: EntityManager, userId: number): Promise<void> {
  if ((await em.count(MemberEntity, { userId, role: Role.OWNER })) < projectsOwned) return;
  throw new ServiceError(
    ErrorReason.LIMIT_REACHED,
    `You own ${projectsOwned} projects, including projects deleted in the last seven days, and cannot create more. Ask an administrator to create the project.`,
  );
}
