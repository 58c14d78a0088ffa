import { checkStatusChanges, millisecondsOf } from "@faultline/plugin";
import type { ErrorStatus, UpdateErrorsRequest } from "@faultline/proto";
import { hidden } from "../deletions/hidden.ts";
import { errorRowId, withSettledLastSeen } from "../lists/errors.ts";
import type { Storage } from "../storage.ts";
import type { ErrorRow } from "../lists/to-proto.ts";

/** The result of an update: the errors as they are now, and the former status of each. */
export interface Updated {
  readonly errors: readonly ErrorRow[];
  readonly before: readonly { readonly id: number; readonly status: ErrorStatus }[];
}

/** Sets statuses in one transaction; errors that are not in the project are left out. */
export async function updateErrors(storage: Storage, request: UpdateErrorsRequest, now: number): Promise<Updated> {
  const { changes, projectId, ifChangedTime } = request;
  checkStatusChanges(changes);
  const wanted = new Map(changes.map(({ errorId, status }) => [errorRowId(errorId), status]));
  // Texts that name no error all map to row 0, which does not exist.
  return storage.write.transaction().execute(async (transaction) => {
    let found = transaction
      .selectFrom("integrated_error")
      .select(["id", "status"])
      .where("project_id", "=", projectId)
      .where("status", "<>", hidden)
      .where("id", "in", [...wanted.keys()]);
    if (ifChangedTime) {
      found = found.where("status_changed_at", "=", millisecondsOf(ifChangedTime)).where("reopened_at", "is", null);
    }
    const before = await found
      .orderBy("group_hash") // in the order in which batches lock them
      .modifyEnd(storage.dialect.locked)
      .execute();
    if (before.length === 0) return { errors: [], before };
    const ids = before.map(({ id }) => id);
    const statuses = before.map(({ id, status }) => [id, wanted.get(id) ?? status] as const);
    await storage.setStatuses(transaction, { projectId, statuses, now });
    const errors = await withSettledLastSeen(storage.dialect, transaction, now)
      .where("project_id", "=", projectId)
      .where("id", "in", ids)
      .execute();
    const isThere = new Set(errors.map(({ id }) => id)); // another process deleted the others in between
    return { errors, before: before.filter(({ id }) => isThere.has(id)) };
  });
}
