import { sql, type Kysely } from "kysely";
import type { Host } from "@faultline/plugin";
import { DeletionState } from "@faultline/proto";
import type { Storage } from "../storage.ts";
import { type OfDeletion, type ErrorTable, type Tables, hidden } from "../tables.ts";
import { signTransitions } from "../changes/change-statuses.ts";
import type { DeletionRow } from "./deletion-rows.ts";

/** Errors hidden or restored in one transaction. */
export const sliceErrors = 1_000;

/** The former values of a hidden error. */
export type HiddenError = Pick<
  ErrorTable,
  "id" | "title" | "culprit" | "level" | "group_hash" | "grouping_version" | "event_count"
>;

/** Hides errors everywhere, and stores the values that an undo restores. */
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
    .orderBy("group_hash") // batches lock them in this order
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

/** How often a transaction that restores errors is attempted. */
const restoreTries = 10;

const { RESTORING, RESTORED } = DeletionState;

interface RestoreParts {
  readonly host: Host;
  readonly storage: Storage;
}

/**
 * Restores the next errors of a deletion. Returns true if they were the last. If several processes store events, a
 * process may simultaneously give a hash to a new error; the transaction is then attempted again.
 */
export async function restoreNext(parts: RestoreParts, row: DeletionRow): Promise<boolean> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await restoreSlice(parts, row);
    } catch (error) {
      if (tries === restoreTries || !String(error).includes("integrated_error_project_id_group_hash_key")) throw error;
    }
  }
}

async function restoreSlice({ host, storage }: RestoreParts, row: DeletionRow): Promise<boolean> {
  if (row.state !== RESTORING) return true;
  const { write, memory } = storage;
  const of = { projectId: row.project_id, deletionId: row.id };
  const isDone = await memory.knownRows.forgetAround(() =>
    write.transaction().execute(async (transaction) => {
      const { restored, superseded, isDone: isLast } = await restoreErrors(storage, transaction, of, sliceErrors);
      await signTransitions(transaction, of.projectId, { by: row.undone_by, at: row.undone_at ?? host.clock.now() });
      await transaction
        .updateTable("integrated_deletion")
        .set(({ eb }) => ({
          restored_count: eb("restored_count", "+", restored),
          superseded_count: eb("superseded_count", "+", superseded),
          ...(isLast && { state: RESTORED, finished_at: host.clock.now() }),
        }))
        .where("project_id", "=", row.project_id)
        .where("id", "=", row.id)
        .execute();
      return isLast;
    }),
  );
  host.errorChanges.publishUnnamed(row.project_id);
  return isDone;
}

/** The number of restored errors. */
interface Restored {
  readonly restored: number;
  /**
   * The number of restored errors with a newer error for their group. The newer error still gets the group's events.
   */
  readonly superseded: number;
  /** Whether the deletion has no errors left. */
  readonly isDone: boolean;
}

/** Restores the status of the next errors of a deletion, and their hash unless a newer error has it. */
async function restoreErrors(
  { dialect }: Storage,
  transaction: Kysely<Tables>,
  { projectId, deletionId }: OfDeletion,
  atMost: number,
): Promise<Restored> {
  const next = await transaction
    .selectFrom("integrated_deletion_error")
    .select("error_id")
    .where("project_id", "=", projectId)
    .where("deletion_id", "=", deletionId)
    .orderBy("previous_hash") // batches lock them in this order
    .limit(atMost)
    .modifyEnd(dialect.locked)
    .execute();
  if (next.length === 0) return { restored: 0, superseded: 0, isDone: true };
  const ids = sql`(select value from ${dialect.valuesOf(
    next.map(({ error_id }) => error_id),
    "ids",
  )})`;
  await sql`update integrated_error set status = d.previous_status,
      group_hash = case
        when exists (select 1 from integrated_error other
          where other.project_id = d.project_id and other.group_hash = d.previous_hash)
        then integrated_error.group_hash else d.previous_hash end
    from integrated_deletion_error d
    where d.project_id = ${projectId} and d.deletion_id = ${deletionId} and d.error_id in ${ids}
      and integrated_error.project_id = d.project_id and integrated_error.id = d.error_id`.execute(transaction);
  // Retention may have deleted some of the errors meanwhile.
  const { rows } = await sql<{ restored: number; superseded: number }>`
    select count(*) as restored,
      coalesce(sum(case when e.group_hash <> d.previous_hash then 1 else 0 end), 0) as superseded
    from integrated_deletion_error d join integrated_error e on e.project_id = d.project_id and e.id = d.error_id
    where d.project_id = ${projectId} and d.deletion_id = ${deletionId} and d.error_id in ${ids}`.execute(transaction);
  await sql`delete from integrated_deletion_error
    where project_id = ${projectId} and deletion_id = ${deletionId} and error_id in ${ids}`.execute(transaction);
  const { restored = 0, superseded = 0 } = rows[0] ?? {};
  return { restored: Number(restored), superseded: Number(superseded), isDone: next.length < atMost };
}
