import { ServiceError } from "@faultline/plugin";
import { ErrorReason, type Error as TrackedError, type Project } from "@faultline/proto";
import { pathPart, type ApiCall } from "./call.ts";
import { servedProject } from "./served-projects.ts";
import { isOf } from "./slugs.ts";

/** An issue that the caller may read, identified by its id alone. */
export interface ServedIssue {
  readonly errorId: string;
  readonly project: Project;
}

/** The issue named by `:issue`, and by `:organization` if the address has one. */
export async function namedIssue(call: ApiCall): Promise<ServedIssue> {
  const issue = await servedIssue(call, pathPart(call, "issue"));
  const organization = call.path["organization"];
  if (organization !== undefined && !isOf(organization, issue.project.path)) throw issueNotFound();
  return issue;
}

/**
 * Finds an issue by its id. A missing issue is refused with ERROR_NOT_FOUND or PROJECT_NOT_FOUND, which look alike.
 * Issues of projects that later moved to another system count as missing.
 */
export async function servedIssue(call: ApiCall, errorId: string): Promise<ServedIssue> {
  const projectId = await projectIdOf(call, errorId);
  return { errorId, project: await servedProject(call, { case: "projectId", value: projectId }) };
}

/** The project of an error stored here; refuses with ERROR_NOT_FOUND. */
export async function projectIdOf(call: ApiCall, errorId: string): Promise<number> {
  return (await call.core.errors.getErrorProject({ errorId }, call)).projectId;
}

/** Reads the current state of an issue. */
export async function readError(call: ApiCall, { errorId, project }: ServedIssue): Promise<TrackedError> {
  const { error } = await call.core.errors.getError({ projectId: project.projectId, errorId }, call);
  if (!error) throw issueNotFound();
  return error;
}

export function issueNotFound(): ServiceError {
  return new ServiceError(ErrorReason.ERROR_NOT_FOUND, "This issue does not exist, or you do not have access to it.");
}
