import type { ErrorStatus } from "@faultline/proto";
import type { Kysely, RawBuilder, SqlBool } from "kysely";
import { hidden } from "../deletions/hidden.ts";
import type { Storage } from "../storage.ts";
import type { ErrorTable, Tables } from "../tables.ts";
import type { Actor } from "./sign-transitions.ts";

/** An error whose status was set, with the status that it had before. */
export type ChangedError = Pick<ErrorTable, "id" | "status" | "group_hash">;

interface Change {
  readonly projectId: number;
  /** The new status by the row id of the error. */
  readonly wanted: ReadonlyMap<number, ErrorStatus>;
  /** Errors that do not meet it are left out. */
  readonly only?: RawBuilder<SqlBool> | undefined;
  readonly actor: Actor;
}

/** Sets the status of errors in a transaction; those that are not in the project, or deleted, are left out. */
export async function changeStatuses(
  storage: Storage,
  transaction: Kysely<Tables>,
  { projectId, wanted, only, actor }: Change,
): Promise<ChangedError[]> {
  if (wanted.size === 0) return [];
  let found = transaction
    .selectFrom("integrated_error")
    .select(["id", "status", "group_hash"])
    .where("project_id", "=", projectId)
    .where("status", "<>", hidden)
    .where("id", "in", [...wanted.keys()]);
  if (only) found = found.where(only);
  const before = await found
    .orderBy("group_hash") // in the order in which batches lock them
    .modifyEnd(storage.dialect.locked)
    .execute();
  if (before.length === 0) return [];
  const statuses = before.map(({ id, status }) => [id, wanted.get(id) ?? status] as const);
  await storage.setStatuses(transaction, { projectId, statuses, actor });
  return before;
}
