import { ServiceError } from "@faultline/plugin";
import { DeletionState, ErrorReason } from "@faultline/proto";
import type { Kysely, Selectable } from "kysely";
import type { Storage } from "../storage.ts";
import type { DeletionTable, Tables } from "../tables.ts";

/** A deletion in its stored form. */
export type DeletionRow = Selectable<DeletionTable>;

/** Reads a deletion of a project, or refuses. */
export async function readDeletion(
  { read }: Pick<Storage, "read">,
  projectId: number,
  deletionId: number,
): Promise<DeletionRow> {
  const row = await read
    .selectFrom("integrated_deletion")
    .selectAll()
    .where("project_id", "=", projectId)
    .where("id", "=", deletionId)
    .executeTakeFirst();
  if (!row) throw deletionNotFound();
  return row;
}

/** Deletions with work left to do. */
export async function deletionsIn(
  { read }: Pick<Storage, "read">,
  states: readonly DeletionState[],
): Promise<DeletionRow[]> {
  return read
    .selectFrom("integrated_deletion")
    .selectAll()
    .where("state", "in", [...states])
    .orderBy("id")
    .limit(100)
    .execute();
}

/** Writes fields of a deletion. */
export async function changeDeletion(
  database: Kysely<Tables>,
  { project_id, id }: DeletionRow,
  fields: Partial<Omit<DeletionRow, "id" | "project_id">>,
): Promise<void> {
  await database
    .updateTable("integrated_deletion")
    .set(fields)
    .where("project_id", "=", project_id)
    .where("id", "=", id)
    .execute();
}

/** The refusal for a deletion that does not exist. */
export function deletionNotFound(): ServiceError {
  return new ServiceError(
    ErrorReason.DELETION_NOT_FOUND,
    "This deletion does not exist in this project. Deletions are listed for 90 days.",
  );
}
