import type { Handlers } from "@faultline/plugin";
import { ErrorService } from "@faultline/proto";
import type { CoreCall } from "../access/guard.ts";
import { notSupported, type FindBackend } from "./forwarded.ts";
import type { StatusChangeLimit } from "./status-change-limit.ts";

/** See UpdateMatchingErrorsResponse.undo. */
const mostMatching = 1_000;

/** Changes of status: each call goes to the backend of its project, within the limit of its person. */
export function updateStatuses(
  find: FindBackend,
  limit: StatusChangeLimit,
): Pick<Handlers<typeof ErrorService, CoreCall>, "updateErrors" | "updateMatchingErrors"> {
  return {
    async updateErrors(request, call) {
      const [backend, carried] = await find(call);
      const isUndo = request.ifChangedTime !== undefined;
      const changes = { userId: call.caller.user.id, count: request.changes.length, isUndo };
      return limit.within(changes, () => backend.updateErrors(request, carried));
    },
    async updateMatchingErrors(request, call) {
      const [backend, carried] = await find(call);
      const update = backend.updateMatchingErrors?.bind(backend);
      if (!update) throw notSupported(ErrorService.method.updateMatchingErrors, backend);
      const changes = { userId: call.caller.user.id, count: mostMatching };
      return limit.within(
        changes,
        () => update(request, carried),
        ({ undo = [] }) => undo.length,
      );
    },
  };
}
