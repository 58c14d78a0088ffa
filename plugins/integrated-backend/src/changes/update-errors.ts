import { checkStatusChanges, millisecondsOf } from "@faultline/plugin";
import type { ErrorStatus, UpdateErrorsRequest } from "@faultline/proto";
import { sql, type Kysely } from "kysely";
import { hidden } from "../deletions/hidden.ts";
import { errorRowId, withSettledLastSeen } from "../lists/errors.ts";
import type { Actor } from "./sign-transitions.ts";
import type { Storage } from "../storage.ts";
import type { Tables } from "../tables.ts";
import type { ErrorRow } from "../lists/to-proto.ts";
import { changeStatuses } from "./change-statuses.ts";

/** The result of an update: the errors as they are now, and the former status of each. */
export interface Updated {
  readonly errors: readonly ErrorRow[];
  readonly before: readonly { readonly id: number; readonly status: ErrorStatus }[];
  /** The ids that name no error of the project. */
  readonly notFound: string[];
}

/** Sets statuses in one transaction. */
export async function updateErrors(storage: Storage, request: UpdateErrorsRequest, actor: Actor): Promise<Updated> {
  const { changes, projectId, ifChangedTime } = request;
  checkStatusChanges(changes);
  // Texts that name no error all map to row 0, which does not exist.
  const wanted = new Map(changes.map(({ errorId, status }) => [errorRowId(errorId), status]));
  const only = ifChangedTime
    ? sql<boolean>`status_changed_at = ${millisecondsOf(ifChangedTime)} and reopened_at is null`
    : undefined;
  return storage.write.transaction().execute(async (transaction) => {
    const before = await changeStatuses(storage, transaction, { projectId, wanted, only, actor });
    const known = new Set(
      (only ? await existing(transaction, projectId, [...wanted.keys()]) : before).map(({ id }) => id),
    );
    const notFound = changes.map(({ errorId }) => errorId).filter((errorId) => !known.has(errorRowId(errorId)));
    if (before.length === 0) return { errors: [], before, notFound };
    const errors = await withSettledLastSeen(storage.dialect, transaction, actor.at)
      .where("project_id", "=", projectId)
      .where(
        "id",
        "in",
        before.map(({ id }) => id),
      )
      .execute();
    const isThere = new Set(errors.map(({ id }) => id)); // another process deleted the others in between
    return { errors, before: before.filter(({ id }) => isThere.has(id)), notFound };
  });
}

/** Those of the errors that are in the project, whether or not they may be changed. */
const existing = (transaction: Kysely<Tables>, projectId: number, ids: readonly number[]) =>
  transaction
    .selectFrom("integrated_error")
    .select("id")
    .where("project_id", "=", projectId)
    .where("status", "<>", hidden)
    .where("id", "in", ids)
    .execute();
