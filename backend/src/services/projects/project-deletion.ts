import { ServiceError, type Handlers, type Clock } from "@faultline/plugin";
import { ErrorReason, Role, type ProjectService } from "@faultline/proto";
import { UniqueConstraintViolationException } from "@mikro-orm/core";
import type { EntityManager, MikroORM } from "@mikro-orm/sql";
import type { AccessMemory } from "../access/access-memory.ts";
import type { Grant, Grants } from "../access/grants.ts";
import type { CoreCall } from "../access/guard.ts";
import type { ClientKeys } from "../client-keys/client-keys.ts";
import { mayInvite, type Delegated } from "../instance/delegation.ts";
import { noExternalProject, isLinkedElsewhere } from "./external-project.ts";
import { SettingsEntity, type SettingsRow } from "../tables/settings.ts";
import type { UserRow } from "../tables/user.ts";
import { longAgo, restorable } from "./deleted-projects.ts";
import type { ProjectDirectory } from "./project-directory.ts";
import { ProjectEntity, projectToProto, restorableMs, type ProjectRow, projectNotFound } from "../tables/project.ts";

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
        row.path = `~deleted-${projectId}`; // no project can have it, and the old path becomes free
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

/** Unlinks the project if another project has linked its external project meanwhile; then it comes back inactive. */
async function unlinkIfTaken(em: EntityManager, projectId: number, now: number): Promise<void> {
  const settings = await em.findOne(SettingsEntity, { id: projectId });
  if (!settings || !(await isLinkedElsewhere(em, settings))) return;
  Object.assign(settings, noExternalProject);
  settings.active = false;
  settings.revision++;
  settings.updatedAt = now;
}

/** Returns the row of a project that is not deleted, or refuses. */
export async function projectRow(em: EntityManager, id: number): Promise<ProjectRow> {
  const row = await em.findOne(ProjectEntity, { id, deletedAt: null });
  if (!row) throw projectNotFound();
  return row;
}

/** Turns the database's refusal of a second project with the same path into ours. */
export function refuseTakenPath(error: unknown, path: string, whatToDo = "Choose another path."): never {
  if (!(error instanceof UniqueConstraintViolationException)) throw error;
  throw new ServiceError(ErrorReason.PROJECT_PATH_TAKEN, `Another project has the path ${path}. ${whatToDo}`, {
    field: "path",
    cause: error,
  });
}

/** The dependencies of the methods of projects. */
export interface ProjectParts {
  readonly orm: MikroORM;
  readonly clock: Clock;
  readonly projects: ProjectDirectory;
  readonly clientKeys: ClientKeys;
  readonly grants: Grants;
  readonly memory: AccessMemory;
  readonly delegated: Delegated;
}

/** The message of a project for a user, from settings that were already read. */
export function shownProject(
  { projects, delegated }: ProjectParts,
  settings: SettingsRow | null,
  { grant, user }: { readonly grant: Grant; readonly user: UserRow },
) {
  const capabilities = projects.capabilities(grant, settings);
  const { adminMembers } = capabilities;
  const invite = adminMembers?.allowed ? mayInvite(delegated, user) : adminMembers;
  const seesBackend = capabilities.adminErrorTracking?.allowed === true;
  return {
    ...projectToProto(grant, { ...capabilities, ...(invite && { invite }) }),
    ...(seesBackend && settings && { backend: settings.backend }),
  };
}

/** The message of a project, by its id or its row from the guard. */
export async function readProject(parts: ProjectParts, user: UserRow, found: number | Grant) {
  const grant = typeof found === "number" ? await parts.grants.of(user, found) : found;
  return shownProject(parts, await parts.projects.settings(grant.project.id), { grant, user });
}

/** Call it after a change of a project is committed. */
export function projectChanged({ clientKeys, memory }: ProjectParts): void {
  clientKeys.projectChanged();
  memory.changed();
}
