import { ServiceError, type ErrorBackend, type Handlers } from "@faultline/plugin";
import { ErrorReason, ErrorService } from "@faultline/proto";
import type { CoreCall } from "../access/guard.ts";
import type { ProjectDirectory } from "../projects/project-directory.ts";
import type { ChangeStream } from "../../host/changes/change-stream.ts";
import { allErrors } from "./all-errors.ts";
import { errorProject } from "./error-project.ts";
import { watchErrors } from "./watch-errors.ts";

/** Errors: each call goes to the backend of its project. */
export function errorService(parts: {
  projects: ProjectDirectory;
  changes: ChangeStream;
  allErrors: ReturnType<typeof allErrors>;
  errorProject: ReturnType<typeof errorProject>;
}): Handlers<typeof ErrorService, CoreCall> {
  const served = ({ grant, caller: { user }, signal }: CoreCall) =>
    parts.projects.backend(grant.project, { userId: user.id, username: user.username, signal });
  return {
    async listErrors(request, call) {
      const [backend, carried] = await served(call);
      return backend.listErrors(request, carried);
    },
    async getError(request, call) {
      const [backend, carried] = await served(call);
      return backend.getError(request, carried);
    },
    async updateErrors(request, call) {
      const [backend, carried] = await served(call);
      return backend.updateErrors(request, carried);
    },
    async getErrorCount(request, call) {
      const [backend, carried] = await served(call);
      if (!backend.getErrorCount) throw noMatching(backend);
      return backend.getErrorCount(request, carried);
    },
    async updateMatchingErrors(request, call) {
      const [backend, carried] = await served(call);
      if (!backend.updateMatchingErrors) throw noMatching(backend);
      return backend.updateMatchingErrors(request, carried);
    },
    async listEvents(request, call) {
      const [backend, carried] = await served(call);
      return backend.listEvents(request, carried);
    },
    async getEvent(request, call) {
      const [backend, carried] = await served(call);
      return backend.getEvent(request, carried);
    },
    async getErrorStats(request, call) {
      const [backend, carried] = await served(call);
      return backend.getErrorStats(request, carried);
    },
    async *watchErrors(request, call) {
      const [backend, carried] = await served(call);
      yield* watchErrors({ changes: parts.changes, backend }, request, carried);
    },
    listAllErrors: parts.allErrors,
    getErrorProject: parts.errorProject,
  };
}

const noMatching = ({ capabilities }: ErrorBackend) =>
  new ServiceError(ErrorReason.NOT_SUPPORTED_BY_BACKEND, capabilities.updateMatching?.reason ?? "");
