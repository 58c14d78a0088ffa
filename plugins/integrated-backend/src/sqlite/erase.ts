import { inBackground } from "@faultline/plugin/flow";
import { sql, type Kysely, type Transaction } from "kysely";
import type { Erased } from "../storage.ts";
import type { OfDeletion, Tables } from "../tables.ts";
import { callDeleteProcedure } from "./delete-procedure.ts";
import type { Sides } from "./payloads/pack.ts";
import { callRewriteProcedure, blocksWithout } from "./payloads/rewrite.ts";

/** Errors with rows that are erased together. */
const sliceErrors = 100;

/** Small enough that ingestion waits only some milliseconds for the writer. */
const sliceRows = 500;
const sliceEvents = 100;

/** A large payload takes many pages, which cost as much as rows. */
const sliceBytes = 4_000_000;

/** Each block is half a megabyte of JSON to compress again, 10 ms of a core. */
const sliceBlocks = 4;

/** See Storage.eraseNext. */
export async function eraseNext({ read, write }: Sides, of: OfDeletion): Promise<Erased> {
  const errors = await nextErrors(read, of);
  if (errors.length === 0) return { eventCount: 0, isDone: true };
  const leaving = await leavingEvents(read, of, errors);
  if (leaving.events.length > 0) {
    // Compressed before the writer is taken, because the writer must not wait for that.
    const rewritten = await blocksWithout(read, leaving.blocks, new Set(leaving.events));
    const erase = async (transaction: Transaction<Tables>) => {
      const events = JSON.stringify(leaving.events);
      if (rewritten && !(await callRewriteProcedure(transaction, rewritten))) throw new Changed();
      if (await wasPacked(transaction, events, leaving.blocks)) throw new Changed();
      // The counters are deleted completely, with their error.
      const counters = { hours: "[]", errors: "[]", facts: "[]", tagged: "[]", day: 0 };
      if (!(await callDeleteProcedure(transaction, { events, ...counters }))) throw new Changed();
      return leaving.events.length;
    };
    const eventCount = await inBackground(() => write.transaction().execute(erase)).catch((error: unknown) => {
      if (error instanceof Changed) return 0; // the caller reads everything again
      throw error;
    });
    return { eventCount, isDone: false };
  }
  await inBackground(() => write.transaction().execute((transaction) => eraseErrors(transaction, of, errors)));
  return { eventCount: 0, isDone: false };
}

/** Retention or packing changed the rows between reading and writing. */
class Changed extends Error {}

/** Whether some of the events were moved to other blocks, which would keep their bytes. */
async function wasPacked(
  transaction: Transaction<Tables>,
  events: string,
  blocks: readonly number[],
): Promise<boolean> {
  const { rows } = await sql`select 1 from integrated_packed
    where event_row_id in (select value from json_each(${events}))
      and block_row_id not in (select value from json_each(${JSON.stringify(blocks)})) limit 1`.execute(transaction);
  return rows.length > 0;
}

async function nextErrors(read: Kysely<Tables>, { projectId, deletionId }: OfDeletion): Promise<number[]> {
  const rows = await read
    .selectFrom("integrated_deletion_error")
    .select("error_id")
    .where("project_id", "=", projectId)
    .where("deletion_id", "=", deletionId)
    .orderBy("error_id")
    .limit(sliceErrors)
    .execute();
  return rows.map(({ error_id }) => error_id);
}

/**
 * The next events of these errors. Includes all events of the deletion that share a block with one of these events, so
 * that a block is rewritten once.
 */
async function leavingEvents(
  read: Kysely<Tables>,
  { projectId, deletionId }: OfDeletion,
  errors: readonly number[],
): Promise<{ readonly events: number[]; readonly blocks: number[] }> {
  const { rows } = await sql<{ id: number; block: number | null; bytes: number }>`
    select event.id, block_row_id as block, coalesce(length(content), 0) as bytes
    from json_each(${JSON.stringify(errors)}) as error
    cross join integrated_event as event on event.error_id = error.value
    left join integrated_packed as packed on packed.event_row_id = event.id
    left join integrated_payload as payload on payload.event_row_id = event.id
    limit ${sliceEvents}`.execute(read);
  const events: number[] = [];
  const blocks = new Set<number>();
  let bytes = 0;
  for (const row of rows) {
    if (row.block !== null) {
      if (blocks.size < sliceBlocks) blocks.add(row.block);
      continue;
    }
    bytes += row.bytes;
    if (events.length > 0 && bytes > sliceBytes) break;
    events.push(row.id);
  }
  const { rows: packed } = await sql<{ id: number }>`
    select event_row_id as id
    from json_each(${JSON.stringify([...blocks])}) as named
    cross join integrated_block on last_row_id = named.value
    cross join integrated_packed on event_row_id between first_row_id and last_row_id and block_row_id = last_row_id
    cross join integrated_event as event on event.id = event_row_id
    cross join integrated_deletion_error as deleted
      on deleted.project_id = ${projectId} and deleted.deletion_id = ${deletionId} and deleted.error_id = event.error_id`.execute(
    read,
  );
  return { events: [...events, ...packed.map(({ id }) => id)], blocks: [...blocks] };
}

/** Deletes the remaining rows of errors without events, and the errors with their last rows. */
async function eraseErrors(
  transaction: Transaction<Tables>,
  { projectId, deletionId }: OfDeletion,
  errors: readonly number[],
): Promise<void> {
  const ids = sql`(select value from json_each(${JSON.stringify(errors)}))`;
  for (const [table, key] of [
    ["integrated_hour", "error_id, hour"],
    ["integrated_user", "error_id, user"],
    ["integrated_tag", "error_id, key, value"],
    ["integrated_count", "error_id, key, value"],
    ["integrated_feedback", "id"],
  ] as const) {
    const { numAffectedRows } = await sql`delete from ${sql.table(table)} where (${sql.raw(key)}) in (
      select ${sql.raw(key)} from ${sql.table(table)} where error_id in ${ids} limit ${sliceRows})`.execute(
      transaction,
    );
    if (numAffectedRows === BigInt(sliceRows)) return;
  }
  await sql`delete from integrated_error where id in ${ids}`.execute(transaction);
  await sql`delete from integrated_deletion_error
    where project_id = ${projectId} and deletion_id = ${deletionId} and error_id in ${ids}`.execute(transaction);
}
