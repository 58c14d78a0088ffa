import { inBackground } from "@faultline/plugin/flow";
import { sql, type Kysely, type Transaction } from "kysely";
import type { Erased } from "../storage.ts";
import type { OfDeletion, Tables } from "../tables.ts";
import { keepErrorOfFeedback } from "./keep-error-of-feedback.ts";
import { addUsage } from "./usage.ts";
import type { TouchedTables } from "./touched-tables.ts";

/** Errors with rows that are erased together, and rows of one short transaction. */
const sliceErrors = 100;
const sliceRows = 500;

/** See Storage.eraseNext. */
export async function eraseNext(database: Kysely<Tables>, of: OfDeletion, touched: TouchedTables): Promise<Erased> {
  const { projectId, deletionId } = of;
  const next = await database
    .selectFrom("integrated_deletion_error")
    .select("error_id")
    .where("project_id", "=", projectId)
    .where("deletion_id", "=", deletionId)
    .orderBy("error_id")
    .limit(sliceErrors)
    .execute();
  if (next.length === 0) return { eventCount: 0, isDone: true };
  const errors = next.map(({ error_id }) => error_id);
  return inBackground(() =>
    database.transaction().execute(async (transaction) => {
      const eventCount = await eraseEvents(transaction, projectId, errors, touched);
      if (eventCount === 0) await eraseErrors(transaction, of, errors);
      return { eventCount, isDone: false };
    }),
  );
}

async function eraseEvents(
  transaction: Transaction<Tables>,
  projectId: number,
  errors: readonly number[],
  touched: TouchedTables,
): Promise<number> {
  const { rows: events } = await sql<{ id: number }>`
    select id from integrated_event where project_id = ${projectId} and error_id = any(${errors}::bigint[])
    limit ${sliceRows}`.execute(transaction);
  if (events.length === 0) return 0;
  const ids = sql`any(${events.map(({ id }) => id)}::bigint[])`; // as values, so that the planner can choose partitions
  const { rows: gone } = await sql<{ bytes: number }>`
    with gone as (
      delete from integrated_payload where project_id = ${projectId} and event_row_id = ${ids} returning length(content)
    )
    select coalesce(sum(length), 0) as bytes from gone`.execute(transaction);
  await sql`delete from integrated_origin where project_id = ${projectId} and event_row_id = ${ids}`.execute(
    transaction,
  );
  await keepErrorOfFeedback(
    transaction,
    sql`integrated_event e
    where e.project_id = ${projectId} and e.id = ${ids}`,
  );
  await sql`delete from integrated_event where project_id = ${projectId} and id = ${ids}`.execute(transaction);
  const bytes = Number(gone[0]?.bytes ?? 0);
  await addUsage(transaction, sql`select ${projectId}::bigint, ${-events.length}::bigint, ${-bytes}::bigint, 0`);
  for (const { id } of events) touched.event(id);
  return events.length;
}

/** Deletes the remaining rows of errors without events, and the errors with their last rows. */
async function eraseErrors(
  transaction: Transaction<Tables>,
  { projectId, deletionId }: OfDeletion,
  errors: readonly number[],
): Promise<void> {
  const ids = sql`any(${errors}::bigint[])`;
  // The rows of an error are written under its lock.
  await sql`select from integrated_error where project_id = ${projectId} and id = ${ids}
    order by group_hash for update`.execute(transaction);
  let tagBytes = 0;
  for (const { table, key, bytes = "0" } of partsOfError) {
    const { rows } = await sql<{ count: number; bytes: number }>`
      with gone as (
        delete from ${sql.table(table)} where project_id = ${projectId} and (${sql.raw(key)}) in (
          select ${sql.raw(key)} from ${sql.table(table)}
          where project_id = ${projectId} and error_id = ${ids} limit ${sliceRows})
        returning *
      )
      select count(*) as count, coalesce(sum(${sql.raw(bytes)}), 0) as bytes from gone`.execute(transaction);
    const { count = 0, bytes: gone = 0 } = rows[0] ?? {};
    tagBytes += Number(gone);
    if (Number(count) === sliceRows) return subtractUsage(transaction, projectId, tagBytes);
  }
  await sql`delete from integrated_error where project_id = ${projectId} and id = ${ids}`.execute(transaction);
  await sql`delete from integrated_deletion_error
    where project_id = ${projectId} and deletion_id = ${deletionId} and error_id = ${ids}`.execute(transaction);
  await subtractUsage(transaction, projectId, tagBytes);
}

/** The tables of an error except its events, and the subtraction of its tags from the project's usage. */
const partsOfError: readonly { readonly table: string; readonly key: string; readonly bytes?: string }[] = [
  { table: "integrated_expired", key: "error_id, hour" },
  { table: "integrated_hour", key: "error_id, hour" },
  { table: "integrated_user", key: `error_id, "user"` },
  { table: "integrated_tag", key: "error_id, key, value", bytes: "octet_length(key) + octet_length(value) + 64" },
  { table: "integrated_count", key: "error_id, key, value" },
  { table: "integrated_tag_key", key: "error_id, key" },
  { table: "integrated_cardinality", key: "error_id" },
  { table: "integrated_feedback", key: "id" },
];

async function subtractUsage(transaction: Transaction<Tables>, projectId: number, tagBytes: number): Promise<void> {
  if (tagBytes > 0) await addUsage(transaction, sql`select ${projectId}::bigint, 0, 0, ${-tagBytes}::bigint`);
}
