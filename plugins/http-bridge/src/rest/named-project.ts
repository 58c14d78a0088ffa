import { create } from "@bufbuild/protobuf";
import { ServiceError, type Call, type Core } from "@faultline/plugin";
import { ErrorReason, GetProjectRequestSchema, type Project } from "@faultline/proto";
import { decodedPart } from "../path-pattern.ts";
import { wholeNumber } from "./params.ts";
import type { RestCall } from "./rest.ts";

/** The project of a route that names one. */
export function projectOf({ project }: Pick<RestCall, "project">): Project {
  if (!project) throw new ServiceError(ErrorReason.PROJECT_NOT_FOUND, "The route names no project.");
  return project;
}

/** The project a path names by its id or its URL-encoded path; undefined when the caller sees none. */
export async function findProject(core: Core, named: string, call: Call): Promise<Project | undefined> {
  const text = decodedPart(named);
  const projectId = wholeNumber(text);
  const request = create(GetProjectRequestSchema, {
    key: projectId === undefined ? { case: "path", value: text } : { case: "projectId", value: projectId },
  });
  try {
    const { project } = await core.projects.getProject(request, call);
    return project as Project; // the guarded core answers whole messages
  } catch (refusal) {
    if (refusal instanceof ServiceError && refusal.reason === ErrorReason.PROJECT_NOT_FOUND) return undefined;
    throw refusal;
  }
}
