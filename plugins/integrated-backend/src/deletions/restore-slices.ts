import { sql, type Kysely } from "kysely";
import type { Host } from "@faultline/plugin";
import { DeletionState } from "@faultline/proto";
import type { Storage } from "../storage.ts";
import { signTransitions } from "../changes/sign-transitions.ts";
import type { DeletionRow } from "./deletion-rows.ts";
import { sliceErrors } from "./hide.ts";
import type { Tables, OfDeletion } from "../tables.ts";

/** How often a transaction that restores errors is tried. */
const restoreTries = 10;

const { RESTORING, RESTORED } = DeletionState;

interface RestoreParts {
  readonly host: Host;
  readonly storage: Storage;
}

/**
 * Restores the next errors of a deletion; returns whether they were the last. Where several processes store, one of
 * them may give a hash to a new error at the same moment: then the transaction is tried again.
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
  /** Those of them whose group has a newer error, which continues to get its events. */
  readonly superseded: number;
  /** Whether none is left. */
  readonly isDone: boolean;
}

/** Restores the status of the next errors of a deletion, and their hash where no newer error has it. */
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
    .orderBy("previous_hash") // in the order in which batches lock them
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
  // Retention may have deleted some of them meanwhile.
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
