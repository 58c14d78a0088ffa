import { inBackground } from "@faultline/plugin/flow";
import { sql, type Kysely, type Transaction } from "kysely";
import { callDeleteProcedure } from "./delete-procedure.ts";
import { giveSpaceBack } from "./retention.ts";
import { callSearchProcedure } from "./search-index.ts";
import type { Tables } from "../tables.ts";

/** Small enough that ingestion waits only some milliseconds for the writer. */
const sliceRows = 500;

/** Events cost more than other rows, because the events of a project are scattered over the file. */
const sliceEvents = 100;

/** A large payload takes many pages, which cost as much as rows. */
const sliceBytes = 4_000_000;

/** Errors or releases with rows that are deleted together. */
const sliceOwners = 20;

/** Deletes some rows of a project and returns their number, or 0 if none is left. */
type DeleteSlice = (transaction: Transaction<Tables>, projectId: number) => Promise<number>;

/** The other rows of the project; its events are deleted first. */
const slices: readonly DeleteSlice[] = [
  (transaction, projectId) =>
    deleteOwners(transaction, projectId, "integrated_error", [
      ["integrated_hour", "error_id, hour"],
      ["integrated_user", "error_id, user"],
      ["integrated_tag", "error_id, key, value"],
      ["integrated_count", "error_id, key, value"],
    ]),
  // A count that was written while its error was deleted.
  (transaction, projectId) => deleteRows(transaction, projectId, "integrated_sampled_out", "project_id, error_id, day"),
  forgetErrors,
  (transaction, projectId) => deleteRows(transaction, projectId, "integrated_feedback", "id"),
  (transaction, projectId) => deleteRows(transaction, projectId, "integrated_session", "id"),
  (transaction, projectId) =>
    deleteOwners(transaction, projectId, "integrated_release", [
      ["integrated_session_user", "release_id, day, user"],
      ["integrated_session_hour", "release_id, hour"],
    ]),
  (transaction, projectId) =>
    deleteRows(transaction, projectId, "integrated_session_day", "project_id, day, release_id"),
  (transaction, projectId) =>
    deleteRows(transaction, projectId, "integrated_deletion_error", "project_id, deletion_id, error_id"),
  (transaction, projectId) => deleteRows(transaction, projectId, "integrated_deletion", "id"),
  (transaction, projectId) =>
    deleteRows(transaction, projectId, "integrated_discard_hour", "project_id, discard_id, hour"),
  (transaction, projectId) =>
    deleteRows(transaction, projectId, "integrated_discard_sample", "project_id, discard_id, day"),
  (transaction, projectId) => deleteRows(transaction, projectId, "integrated_discard", "id"),
  (transaction, projectId) => deleteRows(transaction, projectId, "integrated_alias", "project_id, group_hash"),
  (transaction, projectId) => deleteRows(transaction, projectId, "integrated_claim", "project_id, former_hash"),
  (transaction, projectId) => deleteRows(transaction, projectId, "integrated_split", "project_id, group_hash"),
  (transaction, projectId) => deleteRows(transaction, projectId, "integrated_version_1", "project_id"),
  (transaction, projectId) => deleteRows(transaction, projectId, "integrated_untagged", "project_id"),
];

/** See ErrorBackend.deleteProject. Nobody reads the project anymore, so its counters are not updated. */
export async function deleteProject(database: Kysely<Tables>, projectId: number): Promise<boolean> {
  if ((await inBackground(() => deleteEvents(database, projectId))) > 0) return false;
  const isDone = await inBackground(() =>
    database.transaction().execute(async (transaction) => {
      for (const deleteSlice of slices) if ((await deleteSlice(transaction, projectId)) > 0) return false;
      return true;
    }),
  );
  if (isDone) {
    await database.deleteFrom("integrated_new_error").where("project_id", "=", projectId).execute();
    await database.deleteFrom("integrated_usage").where("project_id", "=", projectId).execute();
    await giveSpaceBack(database);
  }
  return isDone;
}

async function deleteEvents(database: Kysely<Tables>, projectId: number): Promise<number> {
  const { rows } = await sql<{ id: number; bytes: number }>`
    select id, coalesce(length(content), 0) as bytes
    from integrated_event left join integrated_payload on event_row_id = id
    where project_id = ${projectId} limit ${sliceEvents}`.execute(database);
  if (rows.length === 0) return 0;
  let bytes = 0;
  const next = rows.filter((row) => (bytes += row.bytes) - row.bytes < sliceBytes);
  const events = JSON.stringify(next.map(({ id }) => id));
  await callDeleteProcedure(database, { events, hours: "[]", errors: "[]", facts: "[]", tagged: "[]", day: 0 });
  return next.length;
}

/** Marks deleted errors as due, so that the index of searches drops them. */
async function forgetErrors(transaction: Transaction<Tables>, projectId: number): Promise<number> {
  await transaction.deleteFrom("integrated_search_fill").where("project_id", "=", projectId).execute();
  const due = await transaction
    .selectFrom("integrated_search_due")
    .selectAll()
    .where("project_id", "=", projectId)
    .limit(sliceEvents)
    .execute();
  if (due.length > 0) await callSearchProcedure(transaction, due);
  return due.length;
}

async function deleteRows(
  transaction: Transaction<Tables>,
  projectId: number,
  table: keyof Tables,
  key: string,
): Promise<number> {
  const columns = sql.raw(key);
  const { numAffectedRows } = await sql`delete from ${sql.table(table)} where (${columns}) in (
    select ${columns} from ${sql.table(table)} where project_id = ${projectId} limit ${sliceRows})`.execute(
    transaction,
  );
  return Number(numAffectedRows ?? 0);
}

/** Deletes rows of the next few errors or releases, and deletes the errors or releases with their last rows. */
async function deleteOwners(
  transaction: Transaction<Tables>,
  projectId: number,
  owner: "integrated_error" | "integrated_release",
  parts: readonly (readonly [table: keyof Tables, key: string])[],
): Promise<number> {
  const owners = await transaction
    .selectFrom(owner)
    .select("id")
    .where("project_id", "=", projectId)
    .limit(sliceOwners)
    .execute();
  const ids = JSON.stringify(owners.map(({ id }) => id));
  for (const [table, key] of parts) {
    const [columns, ofOwner] = [sql.raw(key), sql.raw(key.split(",")[0] ?? "")];
    const { numAffectedRows } = await sql`delete from ${sql.table(table)} where (${columns}) in (
      select ${columns} from ${sql.table(table)}
      where ${ofOwner} in (select value from json_each(${ids})) limit ${sliceRows})`.execute(transaction);
    if (numAffectedRows === BigInt(sliceRows)) return sliceRows;
  }
  await sql`delete from ${sql.table(owner)} where id in (select value from json_each(${ids}))`.execute(transaction);
  return owners.length;
}
