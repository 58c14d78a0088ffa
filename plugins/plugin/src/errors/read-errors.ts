import { ErrorReason, ErrorService, ProjectService, type Error as TrackedError } from "@faultline/proto";
import type { Host } from "../host/host.ts";
import { ServiceError } from "../service-error.ts";

const idsAtOnce = 100;

/** The methods that these functions call; a plugin that uses the functions lists them in `calls`. */
export const callsToReadErrors = [ErrorService.method.getErrors, ProjectService.method.getProject];

/** The errors that are still there, by id: with a query those that match it. None where the project refuses the call. */
export async function readErrors(
  { invoke }: Pick<Host, "invoke">,
  { projectId, errorIds, query = "" }: { projectId: number; errorIds: Iterable<string>; query?: string },
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, TrackedError>> {
  const ids = [...new Set(errorIds)];
  const found = new Map<string, TrackedError>();
  for (let start = 0; start < ids.length; start += idsAtOnce) {
    const request = { projectId, errorIds: ids.slice(start, start + idsAtOnce), query };
    const { errors } = await invoke(ErrorService.method.getErrors, request, signal).catch(noneOnRefusal);
    for (const error of errors) found.set(error.errorId, error);
  }
  return found;
}

/** Refuses an error that is not in the project, or that its backend cannot read now. */
export async function refuseMissingError(
  { invoke }: Pick<Host, "invoke">,
  { projectId, errorId }: { readonly projectId: number; readonly errorId: string },
  signal?: AbortSignal,
): Promise<void> {
  const { errors } = await invoke(ErrorService.method.getErrors, { projectId, errorIds: [errorId] }, signal);
  if (errors.some((error) => error.errorId === errorId)) return;
  const sentence = "This error does not exist in this project. It may have been deleted.";
  throw new ServiceError(ErrorReason.ERROR_NOT_FOUND, sentence);
}

/** The path of a project; undefined for one that is gone. */
export async function projectPath({ invoke }: Pick<Host, "invoke">, projectId: number): Promise<string | undefined> {
  const { project } = await invoke(ProjectService.method.getProject, {
    key: { case: "projectId", value: projectId },
  }).catch(noProject);
  return project?.path;
}

function noneOnRefusal(refusal: unknown): { errors: TrackedError[] } {
  if (refusal instanceof ServiceError) return { errors: [] };
  throw refusal;
}

function noProject(refusal: unknown): { project?: undefined } {
  if (refusal instanceof ServiceError) return {};
  throw refusal;
}
