import { pageSizeOf, pageToken, readPageToken, ServiceError, type Clock, type Handlers } from "@faultline/plugin";
import { ErrorReason, ProjectService, Role } from "@faultline/proto";
import { UniqueConstraintViolationException } from "@mikro-orm/core";
import type { MikroORM } from "@mikro-orm/sql";
import type { AccessMemory } from "../access/access-memory.ts";
import type { Grant, Grants } from "../access/grants.ts";
import type { ClientKeys } from "../client-keys/client-keys.ts";
import type { CoreCall } from "../core.ts";
import { notBuilt } from "../not-built.ts";
import { MemberEntity, ProjectEntity, SettingsEntity } from "../database/entities.ts";
import { projectToProto } from "../to-proto.ts";
import { projectNotFound, type ProjectDirectory } from "./project-directory.ts";
import { projectName, projectPath } from "./project-path.ts";

/** Projects. */
export function projectService(parts: {
  orm: MikroORM;
  clock: Clock;
  projects: ProjectDirectory;
  clientKeys: ClientKeys;
  grants: Grants;
  memory: AccessMemory;
}): Handlers<typeof ProjectService, CoreCall> {
  const { orm, clock, projects, clientKeys, grants, memory } = parts;

  const message = async (grant: Grant) =>
    projectToProto(grant, projects.capabilities(grant, await projects.settings(grant.project.id)));

  return {
    ...notBuilt(ProjectService),

    async createProject(request, { caller }) {
      const path = projectPath(request.path);
      const name = projectName(request.name || (path.split("/").at(-1) ?? ""));
      const now = clock.now();
      const projectId = await orm.em
        .fork()
        .transactional(async (em) => {
          const id = await em.insert(ProjectEntity, { path, name, monitorEnabled: true, createdAt: now });
          await em.insert(MemberEntity, { projectId: id, userId: caller.user.id, role: Role.OWNER, createdAt: now });
          return id;
        })
        .catch(refuseTakenPath(path));
      memory.changed();
      return { project: await message(await grants.of(caller.user, projectId)) };
    },

    async getProject(_request, { grant }) {
      return { project: await message(grant) };
    },

    async listProjects(request, { caller }) {
      const place = readPageToken("projects", request.pageToken, ["string"]);
      const size = pageSizeOf(request);
      const em = orm.em.fork();
      const text = request.query.trim();
      const like = { $like: `%${text.replace(/[%_\\]/g, "")}%` };
      const member = await em.find(MemberEntity, { userId: caller.user.id }, { fields: ["projectId"] });
      const where = {
        deletedAt: null,
        ...(!caller.user.isAdmin && { id: { $in: member.map(({ projectId }) => projectId) } }),
        ...(text !== "" && { $or: [{ path: like }, { name: like }] }),
      };
      const rows = await em.find(
        ProjectEntity,
        { ...where, ...(place && { path: { $gt: place[0] } }) },
        { orderBy: { path: "asc" }, limit: size + 1, offset: place ? 0 : request.skip },
      );
      const page = rows.slice(0, size);
      const settings = await em.find(SettingsEntity, { id: { $in: page.map((row) => row.id) } });
      const settingsOf = new Map(settings.map((row) => [row.id, row]));
      const last = page.at(-1);
      return {
        projects: await Promise.all(
          page.map(async (row) => {
            const grant = await grants.of(caller.user, row.id);
            return projectToProto(grant, projects.capabilities(grant, settingsOf.get(row.id) ?? null));
          }),
        ),
        nextPageToken: rows.length > size && last ? pageToken("projects", [last.path]) : "",
        totalSize: await em.count(ProjectEntity, where),
      };
    },

    async updateProject(request, { caller }) {
      const em = orm.em.fork();
      const row = await em.findOne(ProjectEntity, { id: request.projectId, deletedAt: null });
      if (!row) throw projectNotFound();
      if (request.name !== undefined) row.name = projectName(request.name);
      if (request.path !== undefined) row.path = projectPath(request.path);
      if (request.monitorEnabled !== undefined) row.monitorEnabled = request.monitorEnabled;
      await em.flush().catch(refuseTakenPath(row.path));
      clientKeys.projectChanged();
      memory.changed();
      return { project: await message(await grants.of(caller.user, row.id)) };
    },
  };
}

function refuseTakenPath(path: string) {
  return (error: unknown) => {
    if (!(error instanceof UniqueConstraintViolationException)) throw error;
    throw new ServiceError(ErrorReason.PROJECT_PATH_TAKEN, `Another project has the path ${path}. Choose another.`, {
      field: "path",
      cause: error,
    });
  };
}
