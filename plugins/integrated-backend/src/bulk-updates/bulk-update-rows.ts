import { ServiceError } from "@faultline/plugin";
import { BulkUpdateState, ErrorReason, type ErrorStatus } from "@faultline/proto";
import type { Kysely, Selectable } from "kysely";
import type { Storage } from "../storage.ts";
import type { BulkUpdateSliceTable, BulkUpdateTable, Tables } from "../tables.ts";

/** A bulk update as it is stored. */
export type BulkUpdateRow = Selectable<BulkUpdateTable>;

/** The states in which the service has work to do. */
export const running = [BulkUpdateState.CHANGING, BulkUpdateState.UNDOING] as const;

/** A bulk update of a project, or a refusal. */
export async function readBulkUpdate(
  database: Kysely<Tables>,
  projectId: number,
  bulkUpdateId: number,
): Promise<BulkUpdateRow> {
  const row = await ofId(database, projectId, bulkUpdateId).executeTakeFirst();
  if (!row) throw notFound();
  return row;
}

/** A bulk update of a project, locked until the transaction ends, or a refusal. */
export async function lockBulkUpdate(
  { dialect }: Storage,
  transaction: Kysely<Tables>,
  { projectId, bulkUpdateId }: { readonly projectId: number; readonly bulkUpdateId: number },
): Promise<BulkUpdateRow> {
  const row = await ofId(transaction, projectId, bulkUpdateId).modifyEnd(dialect.locked).executeTakeFirst();
  if (!row) throw notFound();
  return row;
}

/** Writes fields of a bulk update. */
export async function changeBulkUpdate(
  database: Kysely<Tables>,
  { project_id, id }: BulkUpdateRow,
  fields: Partial<Omit<BulkUpdateRow, "id" | "project_id">>,
): Promise<void> {
  await database
    .updateTable("integrated_bulk_update")
    .set(fields)
    .where("project_id", "=", project_id)
    .where("id", "=", id)
    .execute();
}

/** A slice of a bulk update. */
export interface Slice {
  readonly errorIds: readonly number[];
  /** The status that they had. */
  readonly status: ErrorStatus;
  /** When they were changed; 0: not yet. */
  readonly changedAt: number;
}

/** Reads a slice. */
export async function readSlice(
  transaction: Kysely<Tables>,
  { project_id, id }: BulkUpdateRow,
  position: number,
): Promise<Slice> {
  const slice = await transaction
    .selectFrom("integrated_bulk_update_slice")
    .select(["error_ids", "status", "changed_at"])
    .where("project_id", "=", project_id)
    .where("bulk_update_id", "=", id)
    .where("position", "=", position)
    .executeTakeFirstOrThrow();
  const errorIds = JSON.parse(slice.error_ids) as number[];
  return { errorIds, status: slice.status, changedAt: slice.changed_at ?? 0 };
}

/** Writes which errors of a slice were changed. */
export async function changeSlice(
  transaction: Kysely<Tables>,
  { project_id, id }: BulkUpdateRow,
  { position, ...fields }: Pick<BulkUpdateSliceTable, "position" | "error_ids" | "changed_at">,
): Promise<void> {
  await transaction
    .updateTable("integrated_bulk_update_slice")
    .set(fields)
    .where("project_id", "=", project_id)
    .where("bulk_update_id", "=", id)
    .where("position", "=", position)
    .execute();
}

/** Deletes bulk updates with their slices. */
export async function deleteBulkUpdates(
  transaction: Kysely<Tables>,
  rows: readonly Pick<BulkUpdateRow, "project_id" | "id">[],
): Promise<void> {
  for (const { project_id, id } of rows) {
    await transaction
      .deleteFrom("integrated_bulk_update_slice")
      .where("project_id", "=", project_id)
      .where("bulk_update_id", "=", id)
      .execute();
    await transaction
      .deleteFrom("integrated_bulk_update")
      .where("project_id", "=", project_id)
      .where("id", "=", id)
      .execute();
  }
}

const ofId = (database: Kysely<Tables>, projectId: number, bulkUpdateId: number) =>
  database
    .selectFrom("integrated_bulk_update")
    .selectAll()
    .where("project_id", "=", projectId)
    .where("id", "=", bulkUpdateId);

const notFound = () =>
  new ServiceError(
    ErrorReason.BULK_UPDATE_NOT_FOUND,
    "This bulk update does not exist in this project. The last 50 are kept for a day.",
  );
