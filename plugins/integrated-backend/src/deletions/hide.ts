import { sql, type Kysely } from "kysely";
import type { Storage } from "../storage.ts";
import type { OfDeletion, ErrorTable, Tables } from "../tables.ts";
import { hidden } from "./hidden.ts";

/** Errors that are hidden or restored in one transaction. */
export const sliceErrors = 1_000;

/** An error as it was before it was hidden. */
export type HiddenError = Pick<
  ErrorTable,
  "id" | "title" | "culprit" | "level" | "group_hash" | "grouping_version" | "event_count"
>;

/** Takes errors out of everything that is shown, and stores the values that an undo restores. */
export async function hideErrors(
  { dialect, counting }: Storage,
  transaction: Kysely<Tables>,
  { projectId, deletionId }: OfDeletion,
  errorIds: readonly number[],
): Promise<HiddenError[]> {
  if (errorIds.length === 0) return [];
  const errors = await transaction
    .selectFrom("integrated_error")
    .select(["id", "title", "culprit", "level", "group_hash", "grouping_version", "event_count"])
    .where("project_id", "=", projectId)
    .where("status", "<>", hidden)
    .where("id", "in", among(dialect, errorIds))
    .orderBy("group_hash") // in the order in which batches lock them
    .modifyEnd(dialect.locked)
    .execute();
  const found = among(
    dialect,
    errors.map(({ id }) => id),
  );
  await sql`insert into integrated_deletion_error (project_id, deletion_id, error_id, previous_status, previous_hash)
    select project_id, cast(${deletionId} as ${dialect.bigInteger}), id, status, group_hash from integrated_error
    where project_id = ${projectId} and id in ${found}`.execute(transaction);
  await sql`update integrated_error set status = ${sql.lit(hidden)}, group_hash = ${dialect.hiddenHash}
    where project_id = ${projectId} and id in ${found}`.execute(transaction);
  for (const { id, group_hash } of errors) counting.take({ projectId, hash: group_hash.toString("hex"), errorId: id });
  return errors;
}

const among = (dialect: Storage["dialect"], ids: readonly number[]) =>
  sql<number>`(select value from ${dialect.valuesOf(ids, "ids")})`;
