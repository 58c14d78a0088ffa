import { hourMs } from "@faultline/plugin";
import { sql, type Kysely } from "kysely";
import { deleteFeedback } from "./feedback.ts";
import { deleteSessionCounters, deleteSessions } from "./sessions/expired-sessions.ts";
import type { Tables } from "./tables.ts";

/** All errors are kept this long (specification section 8). */
export const retentionDays = 90;

const dayMs = 24 * hourMs;

/** Few enough that ingestion waits only some milliseconds for the writer. */
const batchEvents = 500;

/** What is due for deletion. */
export interface Due {
  readonly now: number;
  /** The start of the first day that is kept. */
  readonly cutoff: number;
}

/**
 * Deletes what is older than the day that lies 90 days back, oldest first, so that an event is readable for 90 days at
 * least and 91 at most; sessions go as soon as they cannot change any more. Answers how many rows were deleted.
 */
export async function deleteExpired(database: Kysely<Tables>, now: number): Promise<number> {
  const due: Due = { now, cutoff: Math.floor(now / dayMs) * dayMs - retentionDays * dayMs };
  let deleted = 0;
  // Each deletes the next few rows that are due and answers how many; 0: none is left.
  for (const deleteBatch of [deleteEvents, deleteFeedback, deleteSessions, deleteSessionCounters]) {
    for (let count = -1; count !== 0;) {
      count = await database.transaction().execute((transaction) => deleteBatch(transaction, due));
      deleted += count;
    }
  }
  if (deleted > 0) await giveSpaceBack(database);
  return deleted;
}

/**
 * Takes events out of every counter in the same transaction; errors without events go too. Row ids grow with the time
 * of receipt, so the oldest events are the first rows.
 */
async function deleteEvents(database: Kysely<Tables>, { cutoff }: Due): Promise<number> {
  const oldest = await database
    .selectFrom("integrated_event")
    .select(["id", "error_id", "occurred_at", "received_at"])
    .orderBy("id")
    .limit(batchEvents)
    .execute();
  const expired = oldest.filter(({ received_at }) => received_at < cutoff);
  if (expired.length === 0) return 0;

  const events = JSON.stringify(
    expired.map(({ id, error_id, occurred_at }) => [id, error_id, Math.floor(occurred_at / hourMs)]),
  );
  const errors = JSON.stringify([...new Set(expired.map(({ error_id }) => error_id))]);
  const day = cutoff / dayMs;
  await sql`delete from integrated_payload where event_row_id in (select value ->> 0 from json_each(${events}))`.execute(
    database,
  );
  await sql`delete from integrated_feedback where (project_id, event_id) in (
    select project_id, event_id from integrated_event
    where id in (select value ->> 0 from json_each(${events})))`.execute(database);
  await sql`delete from integrated_event where id in (select value ->> 0 from json_each(${events}))`.execute(database);
  await sql`update integrated_hour set event_count = event_count - gone.n
    from (select value ->> 1 as error_id, value ->> 2 as hour, count(*) as n from json_each(${events}) group by 1, 2) gone
    where integrated_hour.error_id = gone.error_id and integrated_hour.hour = gone.hour`.execute(database);
  await sql`delete from integrated_hour where event_count <= 0
    and error_id in (select value from json_each(${errors}))`.execute(database);
  await sql`update integrated_error set event_count = event_count - gone.n
    from (select value ->> 1 as error_id, count(*) as n from json_each(${events}) group by 1) gone
    where integrated_error.id = gone.error_id`.execute(database);
  await sql`delete from integrated_user where last_seen_day < ${day}
    and error_id in (select value from json_each(${errors}))`.execute(database);
  await sql`delete from integrated_tag where last_seen_day < ${day}
    and error_id in (select value from json_each(${errors}))`.execute(database);
  // Users and tags of an error live as long as its last event; the rows above cover them.
  await sql`delete from integrated_error where event_count <= 0
    and id in (select value from json_each(${errors}))`.execute(database);
  return expired.length;
}

/** Free pages go back to the system a few at a time, each step its own short write. */
export async function giveSpaceBack(database: Kysely<Tables>): Promise<void> {
  for (let before = Infinity; ;) {
    const { rows } = await sql<{ freelist_count: number }>`pragma freelist_count`.execute(database);
    const free = rows[0]?.freelist_count ?? 0;
    if (free === 0 || free >= before) return; // a file that was made without incremental vacuum keeps its pages
    before = free;
    await sql`pragma incremental_vacuum(1000)`.execute(database);
  }
}
