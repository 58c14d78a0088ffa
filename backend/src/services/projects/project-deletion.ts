import { ServiceError, type Handlers } from "@faultline/plugin";
import { ErrorReason, Role, type ProjectService } from "@faultline/proto";
import type { EntityManager } from "@mikro-orm/sql";
import type { CoreCall } from "../access/guard.ts";
import { ProjectEntity, projectToProto, restorableMs } from "./project.ts";
import { SettingsEntity } from "../settings/settings.ts";
import { noExternalProject } from "../settings/external-project.ts";
import { isLinkedElsewhere } from "../settings/linked-elsewhere.ts";
import { longAgo, restorable } from "./deleted-projects.ts";
import { readProject, projectChanged, type ProjectParts } from "./shown-project.ts";
import { refuseTakenPath } from "./taken-path.ts";
import { projectRow } from "./project-row.ts";

type DeletionMethods = "deleteProject" | "restoreProject" | "removeDeletedProject" | "listDeletedProjects";

/** Deletes projects, and restores them within seven days. */
export function projectDeletion(parts: ProjectParts): Pick<Handlers<typeof ProjectService, CoreCall>, DeletionMethods> {
  const { orm, clock } = parts;

  return {
    async deleteProject({ projectId }, { grant }) {
      const project = await orm.em.fork().transactional(async (em) => {
        const row = await projectRow(em, projectId);
        row.deletedAt = clock.now();
        row.deletedPath = row.path;
        row.path = `~deleted-${projectId}`; // no project can have it, and the old one is free
        return row;
      });
      projectChanged(parts);
      return { project: projectToProto({ project, role: grant.role }, undefined) };
    },

    async restoreProject({ projectId }, { caller }) {
      let path = "";
      await orm.em
        .fork()
        .transactional(async (em) => {
          const row = await em.findOne(ProjectEntity, { id: projectId, ...restorable(clock.now()) });
          if (!row) throw deletedProjectNotFound();
          path = row.deletedPath ?? "";
          row.path = path;
          row.deletedPath = null;
          row.deletedAt = null;
          await unlinkIfTaken(em, projectId, clock.now());
        })
        .catch((error: unknown) => refuseTakenPath(error, path, "Change that path, then restore this project."));
      projectChanged(parts);
      return { project: await readProject(parts, caller.user, projectId) };
    },

    async removeDeletedProject({ projectId }) {
      const project = await orm.em.fork().transactional(async (em) => {
        const row = await em.findOne(ProjectEntity, { id: projectId, ...restorable(clock.now()) });
        if (!row) throw deletedProjectNotFound();
        row.deletedAt = longAgo;
        return { ...row, deletedAt: clock.now() - restorableMs };
      });
      return { project: projectToProto({ project, role: Role.OWNER }, undefined) };
    },

    async listDeletedProjects() {
      const rows = await orm.em
        .fork()
        .find(ProjectEntity, restorable(clock.now()), { orderBy: { deletedAt: "asc", id: "asc" }, limit: 100 });
      return { projects: rows.map((project) => projectToProto({ project, role: Role.OWNER }, undefined)) };
    },
  };
}

function deletedProjectNotFound(): ServiceError {
  return new ServiceError(
    ErrorReason.DELETED_PROJECT_NOT_FOUND,
    "This deleted project does not exist. Projects are deleted permanently after seven days.",
  );
}

/** Its external project may have been linked by another project meanwhile; then it comes back not active and unlinked. */
async function unlinkIfTaken(em: EntityManager, projectId: number, now: number): Promise<void> {
  const settings = await em.findOne(SettingsEntity, { id: projectId });
  if (!settings || !(await isLinkedElsewhere(em, settings))) return;
  Object.assign(settings, noExternalProject);
  settings.active = false;
  settings.revision++;
  settings.updatedAt = now;
}
