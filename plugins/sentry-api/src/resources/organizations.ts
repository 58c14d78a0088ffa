import type { Project } from "@faultline/proto";
import { pathPart, type Resource } from "../call.ts";
import { offsetCursor, offsetOf } from "../cursor.ts";
import { linkHeader, perPageOf } from "../pages.ts";
import { listServed, projectsOf } from "../served-projects.ts";
import { organizationShape } from "../shapes/project.ts";
import { organizationId, slugsOf } from "../slugs.ts";
import { isoTime } from "../times.ts";
import { orForUploads } from "../upload-token.ts";

/** The maximum number of projects to derive the organizations from. */
const projectsLookedAt = 2000;

/** The organizations of the projects with errors that the caller may read. */
export const listOrganizations: Resource = async (call) => {
  const { projects } = await listServed(call, { size: projectsLookedAt });
  const query = (call.query.get("query") ?? "").trim().toLowerCase();
  const wanted = projects.filter(({ path }) => slugsOf(path).organization.toLowerCase().includes(query));
  const skip = offsetOf(call.query.get("cursor"));
  const end = skip + perPageOf(call);
  const organizations = organizationsOf(wanted);
  const next = organizations.length > end ? offsetCursor(end) : undefined;
  return { status: 200, headers: { Link: linkHeader(call, { next }) }, body: organizations.slice(skip, end) };
};

export const readOrganization: Resource = async (call) => {
  const slug = pathPart(call, "organization");
  const named = { id: organizationId(slug), slug, name: slug };
  const answer = projectsOf(call, slug, projectsLookedAt).then((projects) => organizationsOf(projects)[0]);
  return { status: 200, body: await orForUploads<object | undefined>(answer, named) };
};

/** Slugs that differ only in case are the same organization, because paths are case-insensitive. */
function organizationsOf(projects: readonly Project[]): object[] {
  const members = Map.groupBy(projects, ({ path }) => slugsOf(path).organization.toLowerCase());
  return [...members.values()].map((group) => {
    const created = group.map(({ createdTime }) => isoTime(createdTime)).toSorted();
    return organizationShape(slugsOf(group[0]?.path ?? "").organization, created[0] ?? null);
  });
}
