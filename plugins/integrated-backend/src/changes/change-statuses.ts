import type { ChangedError, StatusCondition, StatusesToSet, Actor } from "@faultline/plugin";
import { sql, type Kysely, type SqlBool } from "kysely";
import { hidden, type Tables } from "../tables.ts";
import type { Storage } from "../storage.ts";

/** Sets the status of errors in a transaction. Skips errors that are deleted or in another project. */
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
    .orderBy("group_hash") // batches lock them in this order
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

/** The given errors that are in the project, whether or not they may be changed. */
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

/**
 * Completes the notes that triggers took of a person's changes in this transaction, because a trigger knows neither the
 * person nor the service's clock. No other transaction leaves a note of the project without its time.
 */
export async function signTransitions(
  transaction: Kysely<Tables>,
  projectId: number,
  { by, at }: Actor,
): Promise<void> {
  await sql`update error_change set at = ${at}, actor = ${by} where project_id = ${projectId} and at is null`.execute(
    transaction,
  );
}
