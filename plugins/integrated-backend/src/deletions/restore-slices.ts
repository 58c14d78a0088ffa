import type { Host } from "@faultline/plugin";
import { DeletionState } from "@faultline/proto";
import type { Storage } from "../storage.ts";
import { restoreErrors } from "./restore.ts";
import { signTransitions } from "../changes/sign-transitions.ts";
import type { DeletionRow } from "./deletion-rows.ts";
import { sliceErrors } from "./hide.ts";

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
