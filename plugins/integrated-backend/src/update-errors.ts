import { checkStatusChanges } from "@faultline/plugin";
import type { ErrorStatus, UpdateErrorsRequest } from "@faultline/proto";
import { sql, type Kysely } from "kysely";
import { errorRowId, withSettledLastSeen } from "./errors.ts";
import type { Tables } from "./tables.ts";
import type { ErrorRow } from "./to-proto.ts";

/** What an update changed: the errors as they are now, and the status each had before. */
export interface Updated {
  readonly errors: readonly ErrorRow[];
  readonly before: readonly { readonly id: number; readonly status: ErrorStatus }[];
}

/** Sets statuses in one transaction; errors that are not in the project are left out. */
export async function updateErrors(
  database: Kysely<Tables>,
  request: UpdateErrorsRequest,
  now: number,
): Promise<Updated> {
  const { changes, projectId } = request;
  checkStatusChanges(changes);
  const wanted = new Map(changes.map(({ errorId, status }) => [errorRowId(errorId), status]));
  // Several texts may name no error there is: they are all row 0, which is none.
  return database.transaction().execute(async (transaction) => {
    const ids = [...wanted.keys()];
    const before = await transaction
      .selectFrom("integrated_error")
      .select(["id", "status"])
      .where("project_id", "=", projectId)
      .where("id", "in", ids)
      .execute();
    const json = JSON.stringify(before.map(({ id }) => [id, wanted.get(id)]));
    await sql`update integrated_error set status = j.value ->> 1, status_changed_at = ${now}, reopened_at = null
      from json_each(${json}) j where integrated_error.id = j.value ->> 0`.execute(transaction);
    const errors = await withSettledLastSeen(transaction, now)
      .where("project_id", "=", projectId)
      .where("id", "in", ids)
      .execute();
    return { errors, before };
  });
}
