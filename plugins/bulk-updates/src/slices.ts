import type { ChangedError, FoundError, StoredErrors } from "@faultline/plugin";
import { BulkUpdateState } from "@faultline/proto";
import type { Kysely } from "kysely";
import { changeBulkUpdate, changeSlice, readSlice, type BulkUpdateRow, type Tables } from "./bulk-update-rows.ts";

/** Errors changed in one transaction, which holds the one writer of SQLite for some tens of milliseconds. */
export const sliceErrors = 1_000;

/** Maximum skipped errors that are named. */
const mostNamed = 100;

const { CHANGED, UNDONE } = BulkUpdateState;

/** Divides errors into slices of one status each. */
export function slicesOf(found: readonly FoundError[]) {
  return [...Map.groupBy(found, ({ status }) => status)]
    .flatMap(([status, some]) =>
      Array.from({ length: Math.ceil(some.length / sliceErrors) }, (_, n) => ({
        status,
        error_ids: JSON.stringify(some.slice(n * sliceErrors, (n + 1) * sliceErrors).map(({ id }) => id)),
        changed_at: null,
      })),
    )
    .map((slice, position) => ({ ...slice, position }));
}

/** Sets the status of the next slice. Skips errors that changed since the bulk update was created. */
export async function changeNext(
  errors: StoredErrors,
  transaction: Kysely<Tables>,
  row: BulkUpdateRow,
  now: number,
): Promise<readonly ChangedError[]> {
  const position = row.next_slice;
  const { errorIds, status } = await readSlice(transaction, row, position);
  const changed = await errors.setStatuses(transaction, {
    projectId: row.project_id,
    wanted: new Map(errorIds.map((id) => [id, row.new_status])),
    only: { status, unchangedSince: row.created_at },
    actor: { by: row.created_by, at: now },
  });
  const isChanged = new Set(changed.map(({ id }) => id));
  const left = errorIds.filter((id) => !isChanged.has(id));
  await changeSlice(transaction, row, { position, error_ids: JSON.stringify([...isChanged]), changed_at: now });
  await changeBulkUpdate(transaction, row, {
    next_slice: position + 1,
    changed_count: row.changed_count + changed.length,
    left_count: row.left_count + left.length,
    left_errors: await withNamed(errors, transaction, row, left),
    ...(position + 1 === row.slice_count && { state: CHANGED, finished_at: now }),
  });
  return changed;
}

/** Restores the status of the errors of the last slice not undone yet, if the bulk update is their newest change. */
export async function undoNext(
  errors: StoredErrors,
  transaction: Kysely<Tables>,
  row: BulkUpdateRow,
  now: number,
): Promise<readonly ChangedError[]> {
  const position = row.next_slice - 1;
  const { errorIds, status, changedAt } =
    position < 0 ? { errorIds: [], status: row.status, changedAt: 0 } : await readSlice(transaction, row, position);
  const restored = await errors.setStatuses(transaction, {
    projectId: row.project_id,
    wanted: new Map(errorIds.map((id) => [id, status])),
    only: { status: row.new_status, changedAt },
    actor: { by: row.undone_by, at: now },
  });
  await changeBulkUpdate(transaction, row, {
    next_slice: Math.max(position, 0),
    restored_count: row.restored_count + restored.length,
    kept_count: row.kept_count + errorIds.length - restored.length,
    ...(position <= 0 && { state: UNDONE, finished_at: now }),
  });
  return restored;
}

/** The JSON of the first skipped errors, and whether each was deleted. */
async function withNamed(
  errors: StoredErrors,
  transaction: Kysely<Tables>,
  { project_id, left_errors }: BulkUpdateRow,
  left: readonly number[],
): Promise<string> {
  const named = JSON.parse(left_errors) as [id: number, isDeleted: boolean][];
  const next = left.slice(0, mostNamed - named.length);
  if (next.length === 0) return left_errors;
  const isThere = await errors.existing(transaction, project_id, next);
  return JSON.stringify([...named, ...next.map((id) => [id, !isThere.has(id)])]);
}
