import type { Handlers } from "@faultline/plugin";
import { BulkUpdateService } from "@faultline/proto";
import type { CoreCall } from "../access/guard.ts";
import { forwarded, notSupported, type FindBackend } from "./forwarded.ts";
import type { StatusChangeLimit } from "./status-change-limit.ts";

/** Errors that are changed before the response. */
const firstSlice = 1_000;

/** Bulk updates of errors: each call goes to the backend of its project, if that makes them. */
export function bulkUpdateService(
  find: FindBackend,
  statusChanges: StatusChangeLimit,
): Handlers<typeof BulkUpdateService, CoreCall> {
  return {
    ...forwarded(BulkUpdateService, find, ({ bulkUpdates }) => bulkUpdates),
    async createBulkUpdate(request, call) {
      const [backend, carried] = await find(call);
      const { bulkUpdates } = backend;
      if (!bulkUpdates) throw notSupported(BulkUpdateService.method.createBulkUpdate, backend);
      // Beyond the first slice it is made in the background, in turns. An undo is free, because it is possible once.
      const changes = { userId: call.caller.user.id, count: Math.min(request.expectedCount, firstSlice) };
      return statusChanges.within(changes, () => bulkUpdates.createBulkUpdate(request, carried));
    },
  };
}
