import type { HttpAnswer } from "@faultline/plugin";
import { pathPart, type ApiCall, type Resource } from "../call.ts";
import { offsetCursor, offsetOf } from "../cursor.ts";
import { linkHeader, perPageOf } from "../pages.ts";
import { listServed, namedProject, projectsOf } from "../served-projects.ts";
import { projectShape } from "../shapes/project.ts";

/** Projects of all organizations with errors that the caller may read. */
export const listProjects: Resource = (call) => list(call, undefined);

export const listOrganizationProjects: Resource = async (call) => {
  const organization = pathPart(call, "organization");
  await projectsOf(call, organization, 1); // an organization without a project does not exist
  return list(call, organization);
};

export const readProject: Resource = async (call) => ({ status: 200, body: projectShape(await namedProject(call)) });

async function list(call: ApiCall, organization: string | undefined): Promise<HttpAnswer> {
  const skip = offsetOf(call.query.get("cursor"));
  const query = (call.query.get("query") ?? "").trim();
  const { projects, nextSkip } = await listServed(call, { skip, size: perPageOf(call), organization, query });
  const next = nextSkip === undefined ? undefined : offsetCursor(nextSkip);
  return { status: 200, headers: { Link: linkHeader(call, { next }) }, body: projects.map(projectShape) };
}
