import {
  ServiceError,
  type BackendCall,
  type ErrorBackend,
  type ErrorBulkUpdates,
  type Handlers,
} from "@faultline/plugin";
import { ErrorReason, type BulkUpdateService } from "@faultline/proto";
import type { CoreCall } from "../access/guard.ts";
import type { ProjectDirectory } from "../projects/project-directory.ts";
import type { StatusChangeLimit } from "./status-change-limit.ts";

/** Errors that are changed before the response. */
const firstSlice = 1_000;

/** Bulk updates of errors: each call goes to the backend of its project, if that makes them. */
export function bulkUpdateService({
  projects,
  statusChanges,
}: {
  projects: ProjectDirectory;
  statusChanges: StatusChangeLimit;
}): Handlers<typeof BulkUpdateService, CoreCall> {
  const served = async ({ grant, caller, signal }: CoreCall): Promise<readonly [ErrorBulkUpdates, BackendCall]> => {
    const { id: userId, username } = caller.user;
    const [backend, carried] = await projects.backend(grant.project, { userId, username, signal });
    return [bulkUpdatesOf(backend), carried];
  };
  return {
    async createBulkUpdate(request, call) {
      const [bulkUpdates, carried] = await served(call);
      // Beyond the first slice it is made in the background, in turns. An undo is free, because it is possible once.
      const changes = { userId: call.caller.user.id, count: Math.min(request.expectedCount, firstSlice) };
      return statusChanges.within(changes, () => bulkUpdates.createBulkUpdate(request, carried));
    },
    async getBulkUpdate(request, call) {
      const [bulkUpdates] = await served(call);
      return bulkUpdates.getBulkUpdate(request);
    },
    async listBulkUpdates(request, call) {
      const [bulkUpdates] = await served(call);
      return bulkUpdates.listBulkUpdates(request);
    },
    async stopBulkUpdate(request, call) {
      const [bulkUpdates] = await served(call);
      return bulkUpdates.stopBulkUpdate(request);
    },
    async undoBulkUpdate(request, call) {
      const [bulkUpdates, carried] = await served(call);
      return bulkUpdates.undoBulkUpdate(request, carried);
    },
  };
}

function bulkUpdatesOf({ bulkUpdates, capabilities }: ErrorBackend): ErrorBulkUpdates {
  if (bulkUpdates) return bulkUpdates;
  throw new ServiceError(ErrorReason.NOT_SUPPORTED_BY_BACKEND, capabilities.updateMatching?.reason ?? "");
}
