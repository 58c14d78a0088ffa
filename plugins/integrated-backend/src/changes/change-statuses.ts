import type { ChangedError, StatusCondition, StatusesToSet } from "@faultline/plugin";
import { sql, type Kysely, type SqlBool } from "kysely";
import { hidden } from "../deletions/hidden.ts";
import type { Storage } from "../storage.ts";
import type { Tables } from "../tables.ts";

/** Sets the status of errors in a transaction. Errors that are deleted, or in another project, are left out. */
export async function changeStatuses(
  storage: Storage,
  transaction: Kysely<Tables>,
  { projectId, wanted, only, actor }: StatusesToSet,
): Promise<ChangedError[]> {
  if (wanted.size === 0) return [];
  let found = transaction
    .selectFrom("integrated_error")
    .select(["id", "status", "group_hash"])
    .where("project_id", "=", projectId)
    .where("status", "<>", hidden)
    .where("id", "in", [...wanted.keys()]);
  for (const condition of conditionsOf(only)) found = found.where(condition);
  const before = await found
    .orderBy("group_hash") // in the order in which batches lock them
    .modifyEnd(storage.dialect.locked)
    .execute();
  if (before.length === 0) return [];
  const statuses = before.map(({ id, status }) => [id, wanted.get(id) ?? status] as const);
  await storage.setStatuses(transaction, { projectId, statuses, actor });
  return before.map(({ id, status, group_hash }) => ({ id, status, key: group_hash.toString("hex") }));
}

function* conditionsOf({ status, changedAt, unchangedSince }: StatusCondition = {}) {
  if (status !== undefined) yield sql<SqlBool>`status = ${status}`;
  if (changedAt !== undefined) yield sql<SqlBool>`status_changed_at = ${changedAt} and reopened_at is null`;
  if (unchangedSince === undefined) return;
  yield sql<SqlBool>`coalesce(status_changed_at, 0) <= ${unchangedSince} and coalesce(reopened_at, 0) <= ${unchangedSince}`;
}

/** Which of the errors are in the project, whether or not they may be changed. */
export async function existing(
  transaction: Kysely<Tables>,
  projectId: number,
  errorIds: readonly number[],
): Promise<ReadonlySet<number>> {
  const found = await transaction
    .selectFrom("integrated_error")
    .select("id")
    .where("project_id", "=", projectId)
    .where("status", "<>", hidden)
    .where("id", "in", errorIds)
    .execute();
  return new Set(found.map(({ id }) => id));
}
