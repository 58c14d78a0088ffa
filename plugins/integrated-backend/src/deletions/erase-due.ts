import type { Host } from "@faultline/plugin";
import { DeletionState } from "@faultline/proto";
import type { Storage } from "../storage.ts";
import { deletionsIn, changeDeletion, type DeletionRow } from "./deletion-rows.ts";

const { HIDDEN, ERASING, ERASED } = DeletionState;

/** The dependencies of erasing. */
interface Parts {
  readonly host: Host;
  readonly storage: Storage;
}

/** Erases the events of deletions that can no longer be undone. */
export async function eraseDue(parts: Parts, signal: AbortSignal): Promise<void> {
  const due = await deletionsIn(parts.storage, [ERASING, HIDDEN]);
  for (const row of due) {
    if (signal.aborted) return;
    if (row.state === ERASING || (await takeForErasing(parts, row))) await eraseAll(parts, row, signal);
  }
}

/** Claims a deletion for erasing. Returns false if it can still be undone or was undone meanwhile. */
async function takeForErasing({ host, storage }: Parts, row: DeletionRow): Promise<boolean> {
  if (!isUndoOver(host, row)) return false;
  const { numUpdatedRows } = await storage.write
    .updateTable("integrated_deletion")
    .set({ state: ERASING })
    .where("project_id", "=", row.project_id)
    .where("id", "=", row.id)
    .where("state", "=", HIDDEN)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

async function eraseAll({ host, storage }: Parts, row: DeletionRow, signal: AbortSignal): Promise<void> {
  const { write } = storage;
  const of = { projectId: row.project_id, deletionId: row.id };
  for (let isDone = false; !isDone;) {
    if (signal.aborted) return;
    const erased = await storage.eraseNext(of);
    isDone = erased.isDone;
    if (erased.eventCount === 0) continue;
    await write
      .updateTable("integrated_deletion")
      .set(({ eb }) => ({ erased_event_count: eb("erased_event_count", "+", erased.eventCount) }))
      .where("project_id", "=", row.project_id)
      .where("id", "=", row.id)
      .execute();
  }
  await storage.giveSpaceBack(signal);
  if (signal.aborted) return;
  await changeDeletion(write, row, { state: ERASED, finished_at: host.clock.now() });
  host.log.info({ projectId: row.project_id, deletionId: row.id }, "erased deleted errors");
}

/** Whether a deletion can no longer be undone, by the clock for deletions. */
export function isUndoOver({ deletionClock }: Pick<Host, "deletionClock">, { undo_until }: DeletionRow): boolean {
  return undo_until === null || undo_until <= deletionClock.now();
}
