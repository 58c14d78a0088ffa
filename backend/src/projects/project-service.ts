import { pageSizeOf, pageToken, readPageToken, ServiceError, type Clock, type Handlers } from "@faultline/plugin";
import { ErrorReason, ProjectService } from "@faultline/proto";
import { UniqueConstraintViolationException } from "@mikro-orm/core";
import type { MikroORM } from "@mikro-orm/sql";
import type { ClientKeys } from "../client-keys/client-keys.ts";
import type { CoreCall } from "../core.ts";
import { ProjectEntity, SettingsEntity, type ProjectRow } from "../database/entities.ts";
import { projectToProto } from "../to-proto.ts";
import { projectNotFound, type ProjectDirectory } from "./project-directory.ts";
import { projectName, projectPath } from "./project-path.ts";

/** Projects. */
export function projectService(parts: {
  orm: MikroORM;
  clock: Clock;
  projects: ProjectDirectory;
  clientKeys: ClientKeys;
}): Handlers<typeof ProjectService, CoreCall> {
  const { orm, clock, projects, clientKeys } = parts;

  const message = async (row: ProjectRow) =>
    projectToProto(row, projects.capabilities(row, await projects.settings(row.id)));

  return {
    async createProject(request) {
      const path = projectPath(request.path);
      const name = projectName(request.name || (path.split("/").at(-1) ?? ""));
      const em = orm.em.fork();
      const row = em.create(ProjectEntity, { path, name, monitorEnabled: true, createdAt: clock.now() });
      await em.flush().catch(refuseTakenPath(path));
      return { project: await message(row) };
    },

    async getProject({ key }) {
      const found =
        key.case === "path"
          ? await orm.em.fork().findOne(ProjectEntity, { path: key.value })
          : await orm.em.fork().findOne(ProjectEntity, { id: key.value ?? 0 });
      if (!found) throw projectNotFound();
      return { project: await message(found) };
    },

    async listProjects(request) {
      const place = readPageToken("projects", request.pageToken, ["string"]);
      const size = pageSizeOf(request);
      const em = orm.em.fork();
      const text = request.query.trim();
      const like = { $like: `%${text.replace(/[%_\\]/g, "")}%` };
      const where = text === "" ? {} : { $or: [{ path: like }, { name: like }] };
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
        projects: page.map((row) => projectToProto(row, projects.capabilities(row, settingsOf.get(row.id) ?? null))),
        nextPageToken: rows.length > size && last ? pageToken("projects", [last.path]) : "",
        totalSize: await em.count(ProjectEntity, where),
      };
    },

    async updateProject(request) {
      const em = orm.em.fork();
      const row = await em.findOne(ProjectEntity, { id: request.projectId });
      if (!row) throw projectNotFound();
      if (request.name !== undefined) row.name = projectName(request.name);
      if (request.path !== undefined) row.path = projectPath(request.path);
      if (request.monitorEnabled !== undefined) row.monitorEnabled = request.monitorEnabled;
      await em.flush().catch(refuseTakenPath(row.path));
      clientKeys.projectChanged();
      return { project: await message(row) };
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
