import { pageSizeOf, pageToken, readPageToken, ServiceError, type Clock, type Handlers } from "@faultline/plugin";
import { ErrorReason, Role, type ProjectService } from "@faultline/proto";
import { UniqueConstraintViolationException } from "@mikro-orm/core";
import type { EntityManager, MikroORM } from "@mikro-orm/sql";
import type { AccessMemory } from "../access/access-memory.ts";
import type { Grant, Grants } from "../access/grants.ts";
import type { ClientKeys } from "../client-keys/client-keys.ts";
import type { CoreCall } from "../access/guard.ts";
import {
  MemberEntity,
  ProjectEntity,
  SettingsEntity,
  type ProjectRow,
  type SettingsRow,
  type UserRow,
} from "../../storage/database/entities.ts";
import { mayCreateProjects, mayInvite, refuseUnless, type Delegated } from "../instance/delegation.ts";
import { noExternalProject } from "../settings/external-project.ts";
import { isLinkedElsewhere } from "../settings/linked-elsewhere.ts";
import { projectToProto } from "../../to-proto.ts";
import { codeRoot, codeUrl } from "../code-links/code-url.ts";
import { longAgo, restorable, restorableMs } from "./deleted-projects.ts";
import type { ProjectDirectory } from "./project-directory.ts";
import { projectNotFound } from "./project-not-found.ts";
import { projectName, projectPath } from "./project-path.ts";
import { visibleProjects } from "./visible-projects.ts";

/** Of a person who is no administrator: the limits of a project would mean little if one could make any number of them. */
const projectsOwned = 100;

/** Projects. */
export function projectService(parts: {
  orm: MikroORM;
  clock: Clock;
  projects: ProjectDirectory;
  clientKeys: ClientKeys;
  grants: Grants;
  memory: AccessMemory;
  delegated: Delegated;
}): Handlers<typeof ProjectService, CoreCall> {
  const { orm, clock, projects, clientKeys, grants, memory, delegated } = parts;

  const messageWith = (settings: SettingsRow | null, grant: Grant, user: UserRow) => {
    const capabilities = projects.capabilities(grant, settings);
    const { adminMembers } = capabilities;
    const invite = adminMembers?.allowed ? mayInvite(delegated, user) : adminMembers;
    const seesBackend = capabilities.adminErrorTracking?.allowed === true;
    return {
      ...projectToProto(grant, { ...capabilities, ...(invite && { invite }) }),
      ...(seesBackend && settings && { backend: settings.backend }),
    };
  };
  const message = async (grant: Grant, user: UserRow) =>
    messageWith(await projects.settings(grant.project.id), grant, user);

  const changed = () => {
    clientKeys.projectChanged();
    memory.changed();
  };

  return {
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
      return { project: await message(await grants.of(caller.user, projectId), caller.user) };
    },

    async getProject(_request, { grant, caller }) {
      return { project: await message(grant, caller.user) };
    },

    async listProjects(request, { caller }) {
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
          return grant && messageWith(settingsOf.get(row.id) ?? null, grant, caller.user);
        }),
      );
      const last = page.at(-1);
      return {
        projects: listed.filter((project) => project !== undefined),
        nextPageToken: rows.length > size && last ? pageToken("projects", [last.path]) : "",
        totalSize: await em.count(ProjectEntity, where),
        createProject: mayCreateProjects(delegated, caller.user),
      };
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
      changed();
      return { project: await message(await grants.of(caller.user, projectId), caller.user) };
    },

    async deleteProject({ projectId }, { grant }) {
      const project = await orm.em.fork().transactional(async (em) => {
        const row = await projectRow(em, projectId);
        row.deletedAt = clock.now();
        row.deletedPath = row.path;
        row.path = `~deleted-${projectId}`; // no project can have it, and the old one is free
        return row;
      });
      changed();
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
        .catch((error: unknown) => refuseTakenPath(error, path, "Give that one another path, then restore this one."));
      changed();
      return { project: await message(await grants.of(caller.user, projectId), caller.user) };
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

/** Deleted projects count while they can be restored: what they hold is still stored. */
async function refuseTooMany(em: EntityManager, userId: number): Promise<void> {
  if ((await em.count(MemberEntity, { userId, role: Role.OWNER })) < projectsOwned) return;
  throw new ServiceError(
    ErrorReason.LIMIT_REACHED,
    `You own ${projectsOwned} projects, counting those deleted in the last seven days, and cannot create more. Ask an administrator to create the project.`,
  );
}

async function projectRow(em: EntityManager, id: number): Promise<ProjectRow> {
  const row = await em.findOne(ProjectEntity, { id, deletedAt: null });
  if (!row) throw projectNotFound();
  return row;
}

function deletedProjectNotFound(): ServiceError {
  return new ServiceError(
    ErrorReason.DELETED_PROJECT_NOT_FOUND,
    "There is no such deleted project. A project is deleted for good after seven days.",
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

/** Of a project that went while it was being listed there is nothing to show. */
function unlessGone(error: unknown): undefined {
  if (!(error instanceof ServiceError && error.reason === ErrorReason.PROJECT_NOT_FOUND)) throw error;
}

/** Turns the database's refusal of a second project with a path into ours. */
function refuseTakenPath(error: unknown, path: string, whatToDo = "Choose another."): never {
  if (!(error instanceof UniqueConstraintViolationException)) throw error;
  throw new ServiceError(ErrorReason.PROJECT_PATH_TAKEN, `Another project has the path ${path}. ${whatToDo}`, {
    field: "path",
    cause: error,
  });
}
