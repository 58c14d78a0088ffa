import type { MessageInitShape } from "@bufbuild/protobuf";
import { locked, sameNamed, ServiceError, timestamp, type DatabaseKind } from "@faultline/plugin";
import { BulkUpdateSchema, BulkUpdateState, ErrorReason, type ErrorStatus } from "@faultline/proto";
import type { Generated, Kysely, Selectable } from "kysely";

/** The tables of bulk updates, for Kysely. Times are milliseconds since 1970. */
export interface Tables {
  integrated_bulk_update: BulkUpdateTable;
  integrated_bulk_update_slice: BulkUpdateSliceTable;
}

interface BulkUpdateTable {
  id: Generated<number>;
  project_id: number;
  state: BulkUpdateState;
  query: string;
  status: ErrorStatus;
  new_status: ErrorStatus;
  found_count: number;
  changed_count: number;
  left_count: number;
  restored_count: number;
  kept_count: number;
  slice_count: number;
  /** The first slice that is not changed yet. An undo counts it down. */
  next_slice: number;
  /** The JSON of the first skipped errors: the id, and whether the error was deleted. */
  left_errors: string;
  created_at: number;
  created_by: string;
  finished_at: number | null;
  undone_by: string;
}

interface BulkUpdateSliceTable {
  project_id: number;
  bulk_update_id: number;
  position: number;
  /** A JSON list of row ids: first the errors that matched, later the errors that were changed. */
  error_ids: string;
  /** The former status of the errors. */
  status: ErrorStatus;
  changed_at: number | null;
}

/** A bulk update in its stored form. */
export type BulkUpdateRow = Selectable<BulkUpdateTable>;

/** The states with work left for the service. */
export const running = [BulkUpdateState.CHANGING, BulkUpdateState.UNDOING] as const;

/** Reads a bulk update of a project, or refuses. */
export async function readBulkUpdate(
  database: Kysely<Tables>,
  projectId: number,
  bulkUpdateId: number,
): Promise<BulkUpdateRow> {
  const row = await ofId(database, projectId, bulkUpdateId).executeTakeFirst();
  if (!row) throw notFound();
  return row;
}

/** Reads a bulk update of a project and locks it until the transaction ends, or refuses. */
export async function lockBulkUpdate(
  kind: DatabaseKind,
  transaction: Kysely<Tables>,
  { projectId, bulkUpdateId }: { readonly projectId: number; readonly bulkUpdateId: number },
): Promise<BulkUpdateRow> {
  const row = await ofId(transaction, projectId, bulkUpdateId).modifyEnd(locked(kind)).executeTakeFirst();
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
  /** The former status of the errors. */
  readonly status: ErrorStatus;
  /** When the errors were changed, or 0 if they are not changed yet. */
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

/** Stores the changed errors of a slice. */
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

/** Deletes the oldest bulk update of a project. Returns true if none is left. */
export async function deleteNextOfProject(database: Kysely<Tables>, projectId: number): Promise<boolean> {
  const next = await database
    .selectFrom("integrated_bulk_update")
    .select(["project_id", "id"])
    .where("project_id", "=", projectId)
    .orderBy("id")
    .limit(1)
    .execute();
  await database.transaction().execute((transaction) => deleteBulkUpdates(transaction, next));
  return next.length === 0;
}

/** Converts a bulk update to its message. */
export function bulkUpdateToProto(row: BulkUpdateRow): MessageInitShape<typeof BulkUpdateSchema> {
  return {
    ...sameNamed(BulkUpdateSchema, row),
    bulkUpdateId: row.id,
    createdTime: timestamp(row.created_at),
    ...(row.finished_at !== null && { finishedTime: timestamp(row.finished_at) }),
  };
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
