import {
  ServiceError,
  type BackendCall,
  type ErrorBackend,
  type ErrorDeletions,
  type Handlers,
} from "@faultline/plugin";
import { ErrorReason, type DeletionService } from "@faultline/proto";
import type { CoreCall } from "../access/guard.ts";
import type { ProjectDirectory } from "../projects/project-directory.ts";

/** Deletions and discards: each call goes to the backend of its project, if that supports deletion. */
export function deletionService(projects: ProjectDirectory): Handlers<typeof DeletionService, CoreCall> {
  const served = async ({ grant, caller, signal }: CoreCall): Promise<readonly [ErrorDeletions, BackendCall]> => {
    const { id: userId, username } = caller.user;
    const [backend, carried] = await projects.backend(grant.project, { userId, username, signal });
    return [deletionsOf(backend), carried];
  };
  return {
    async createDeletion(request, call) {
      const [deletions, carried] = await served(call);
      return deletions.createDeletion(request, carried);
    },
    async getDeletion(request, call) {
      const [deletions] = await served(call);
      return deletions.getDeletion(request);
    },
    async listDeletions(request, call) {
      const [deletions] = await served(call);
      return deletions.listDeletions(request);
    },
    async undoDeletion(request, call) {
      const [deletions, carried] = await served(call);
      return deletions.undoDeletion(request, carried);
    },
    async listDiscards(request, call) {
      const [deletions] = await served(call);
      return deletions.listDiscards(request);
    },
    async endDiscard(request, call) {
      const [deletions] = await served(call);
      return deletions.endDiscard(request);
    },
  };
}

function deletionsOf({ deletions, capabilities }: ErrorBackend): ErrorDeletions {
  if (deletions) return deletions;
  throw new ServiceError(ErrorReason.NOT_SUPPORTED_BY_BACKEND, capabilities.deleteErrors?.reason ?? "");
}
