import { create } from "@bufbuild/protobuf";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { ServiceError, type Call, type Core } from "@faultline/plugin";
import {
  CreateProjectRequestSchema,
  ErrorReason,
  GetProjectRequestSchema,
  ListProjectsRequestSchema,
  UpdateProjectRequestSchema,
  type Project,
} from "@faultline/proto";
import { badParameter } from "./http-error.ts";
import { pageOf, setPageHeaders } from "./pages.ts";
import { textParam, wholeNumber } from "./params.ts";
import type { Operation, RestCall } from "./rest.ts";

/** The project of a route that names one. */
export function projectOf({ project }: RestCall): Project {
  if (!project) throw new ServiceError(ErrorReason.PROJECT_NOT_FOUND, "The route names no project.");
  return project;
}

/** The project a path names by its id or its URL-encoded path. */
export async function findProject(core: Core, named: string, call: Call): Promise<Project> {
  const text = decoded(named);
  const projectId = wholeNumber(text);
  const request = create(GetProjectRequestSchema, {
    key: projectId === undefined ? { case: "path", value: text } : { case: "projectId", value: projectId },
  });
  const { project } = await core.project.getProject(request, call);
  if (!project) throw new ServiceError(ErrorReason.PROJECT_NOT_FOUND, "The project does not exist.");
  return project as Project; // the guarded core answers whole messages
}

/** A part of a path without its percent-encoding; one that is malformed names no project. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return "";
  }
}

export const listProjects: Operation = async ({ visit, call, params }) => {
  const page = pageOf(params);
  const request = create(ListProjectsRequestSchema, {
    query: textParam(params, "search") ?? "",
    pageSize: page.perPage,
    skip: (page.page - 1) * page.perPage,
  });
  const { projects = [], totalSize = 0 } = await visit.host.core.project.listProjects(request, call);
  setPageHeaders(visit, page, totalSize);
  return { status: 200, body: projects.map((project) => projectBody(project as Project)) };
};

export const createProject: Operation = async ({ visit, call, params }) => {
  const name = textParam(params, "name") ?? "";
  const path = textParam(params, "path") ?? slug(name);
  if (path === "") throw badParameter("name, path", "is missing");
  const { project } = await visit.host.core.project.createProject(
    create(CreateProjectRequestSchema, { name, path }),
    call,
  );
  return { status: 201, body: projectBody(project as Project) };
};

export const getProject: Operation = async (restCall) => ({
  status: 200,
  body: projectBody(projectOf(restCall)),
});

export const updateProject: Operation = async (restCall) => {
  const { visit, call, params } = restCall;
  const { projectId } = projectOf(restCall);
  const name = textParam(params, "name");
  const path = textParam(params, "path");
  const level = textParam(params, "monitor_access_level");
  if (level !== undefined && !["disabled", "private", "enabled"].includes(level)) {
    throw badParameter("monitor_access_level", "is invalid");
  }
  const request = create(UpdateProjectRequestSchema, {
    projectId,
    ...(name !== undefined && { name }),
    ...(path !== undefined && { path }),
    ...(level !== undefined && { monitorEnabled: level !== "disabled" }),
  });
  const { project } = await visit.host.core.project.updateProject(request, call);
  return { status: 200, body: projectBody(project as Project) };
};

function projectBody(project: Project): object {
  return {
    id: project.projectId,
    name: project.name,
    path: project.path,
    path_with_namespace: project.path,
    monitor_access_level: project.monitorEnabled ? "enabled" : "disabled",
    created_at: project.createdTime ? timestampDate(project.createdTime).toISOString() : null,
  };
}

/** A path made of a name: letters, digits and hyphens. */
function slug(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9_]+/g, "-")
    .replace(/^-+|-+$/g, "");
}
