import { create } from "@bufbuild/protobuf";
import {
  CreateProjectRequestSchema,
  DeleteProjectRequestSchema,
  ErrorReason,
  ListProjectsRequestSchema,
  RemoveDeletedProjectRequestSchema,
  RestoreProjectRequestSchema,
  UpdateProjectRequestSchema,
  type Project,
} from "@faultline/proto";
import { badParameter } from "../http-error.ts";
import { isoTime } from "../iso-time.ts";
import { projectOf } from "../named-project.ts";
import { pageOf, pageRequest, setPageHeaders } from "../pages.ts";
import { choiceParam, textParam } from "../params.ts";
import { idInPath } from "../path-parts.ts";
import type { Operation } from "../rest.ts";

/** Ordered by path; other orders are refused. */
export const listProjects: Operation = async ({ visit, call, params }) => {
  const page = pageOf(params);
  choiceParam(params, "order_by", ["path"]);
  choiceParam(params, "sort", ["asc"]);
  const query = textParam(params, "search") ?? "";
  const request = create(ListProjectsRequestSchema, { query, ...pageRequest(page) });
  const { projects = [], totalSize = 0 } = await visit.host.core.projects.listProjects(request, call);
  setPageHeaders(visit, page, totalSize);
  return { status: 200, body: projects.map((project) => projectBody(project as Project)) };
};

export const createProject: Operation = async ({ visit, call, params }) => {
  const name = textParam(params, "name") ?? "";
  const path = textParam(params, "path") ?? slug(name);
  if (path === "") throw badParameter("name, path", "is missing");
  const request = create(CreateProjectRequestSchema, { name, path });
  const { project } = await visit.host.core.projects.createProject(request, call);
  return { status: 201, body: projectBody(project as Project) };
};

export const getProject: Operation = async (restCall) => ({ status: 200, body: projectBody(projectOf(restCall)) });

export const updateProject: Operation = async (restCall) => {
  const { visit, call, params } = restCall;
  const { projectId } = projectOf(restCall);
  const name = textParam(params, "name");
  const path = textParam(params, "path");
  const level = choiceParam(params, "monitor_access_level", ["disabled", "private", "enabled"]);
  const codeUrl = textParam(params, "code_url");
  const codeRoot = textParam(params, "code_root");
  const request = create(UpdateProjectRequestSchema, {
    projectId,
    ...(name !== undefined && { name }),
    ...(path !== undefined && { path }),
    ...(level !== undefined && { monitorEnabled: level !== "disabled" }),
    ...(codeUrl !== undefined && { codeUrl }),
    ...(codeRoot !== undefined && { codeRoot }),
  });
  const { project } = await visit.host.core.projects.updateProject(request, call);
  return { status: 200, body: projectBody(project as Project) };
};

export const deleteProject: Operation = async (restCall) => {
  const { visit, call } = restCall;
  const request = create(DeleteProjectRequestSchema, { projectId: projectOf(restCall).projectId });
  await visit.host.core.projects.deleteProject(request, call);
  return { status: 202, body: { message: "202 Accepted" } };
};

export const restoreProject: Operation = async (restCall) => {
  const { visit, call } = restCall;
  const projectId = idInPath(restCall, "deleted_project", ErrorReason.DELETED_PROJECT_NOT_FOUND);
  const request = create(RestoreProjectRequestSchema, { projectId });
  const { project } = await visit.host.core.projects.restoreProject(request, call);
  return { status: 201, body: projectBody(project as Project) };
};

/** Ends the seven days of a deleted project. */
export const removeDeletedProject: Operation = async (restCall) => {
  const { visit, call } = restCall;
  const projectId = idInPath(restCall, "deleted_project", ErrorReason.DELETED_PROJECT_NOT_FOUND);
  await visit.host.core.projects.removeDeletedProject(create(RemoveDeletedProjectRequestSchema, { projectId }), call);
  return { status: 202, body: { message: "202 Accepted" } };
};

function projectBody(project: Project): object {
  return {
    id: project.projectId,
    name: project.name,
    path: project.path,
    path_with_namespace: project.path,
    created_at: isoTime(project.createdTime),
    monitor_access_level: project.monitorEnabled ? "enabled" : "disabled",
    code_url: project.codeUrl || null,
    code_root: project.codeRoot || null,
    permissions: { project_access: { access_level: project.role }, group_access: null },
  };
}

/** A path made of a name: letters, digits and hyphens. */
function slug(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9_]+/g, "-")
    .replace(/^-+|-+$/g, "");
}
