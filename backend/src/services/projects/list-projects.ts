import { pageSizeOf, pageToken, readPageToken, ServiceError, type Handlers } from "@faultline/plugin";
import { ErrorReason, type ProjectService } from "@faultline/proto";
import type { CoreCall } from "../access/guard.ts";
import { ProjectEntity } from "./project.ts";
import { SettingsEntity } from "../settings/settings.ts";
import { mayCreateProjects } from "../instance/delegation.ts";
import { visibleProjects } from "./visible-projects.ts";
import { shownProject, type ProjectParts } from "./shown-project.ts";

/** A page of the projects that the caller may see, by path. */
export function listProjects(parts: ProjectParts): Handlers<typeof ProjectService, CoreCall>["listProjects"] {
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
