import { inBackground } from "@faultline/plugin/flow";
import { hourMs, dayMs } from "@faultline/plugin";
import { sql, type Kysely } from "kysely";
import { receiptDays, retentionCutoff, sessionDays } from "../retention/retention.ts";
import { factsOf } from "../counts/count-events.ts";
import type { Storage } from "../storage.ts";
import type { EventTable, Tables } from "../tables.ts";
import { subtract } from "./counts.ts";
import { keepErrorOfFeedback } from "./keep-error-of-feedback.ts";
import { addUsage } from "./usage.ts";
import { detach, partitionsBefore, type Partition } from "./partitions.ts";

/** Errors, or rows of other tables, of one short transaction, which holds its locks for some milliseconds. */
const sliceErrors = 50;
const sliceRows = 500;
const sliceReleases = 20;
const sliceEvents = 200;

/** The bounds of the rows to delete. */
interface Due {
  readonly now: number;
  /** The start of the first day that is kept. */
  readonly cutoff: number;
}

type DeleteSlice = (database: Kysely<Tables>, due: Due) => Promise<number>;

/** See Storage.deleteExpired. */
export async function deleteExpired(
  storage: Pick<Storage, "read" | "write" | "eventJsons">,
  now: number,
  signal: AbortSignal,
): Promise<number> {
  const { write: database } = storage;
  const due: Due = { now, cutoff: retentionCutoff(now) };
  let deleted = 0;
  for (const partition of await partitionsBefore(database, due.cutoff / dayMs)) {
    if (partition.parent === "integrated_event" && partition.state === "attached") {
      for (let count = -1; count !== 0 && !signal.aborted;) {
        count = await inBackground(() => deleteEvents(storage, partition));
        deleted += count;
      }
    }
    if (signal.aborted) return deleted;
    deleted += await dropPartition(database, partition);
  }
  // Each function deletes some due rows and returns their number, or 0 if none is left.
  const slices: DeleteSlice[] = [
    subtractExpired,
    deleteFeedback,
    deleteSessions,
    deleteReceipts,
    deleteSessionDays,
    deleteSessionCounters,
  ];
  for (const deleteSlice of slices) {
    for (let count = -1; count !== 0;) {
      if (signal.aborted) return deleted;
      count = await inBackground(() => deleteSlice(database, due));
      deleted += count;
    }
  }
  return deleted;
}

/**
 * Deletes the next events of a day before its partition is dropped, because the counts of users and tags are subtracted
 * event by event. Returns the number of events.
 */
async function deleteEvents(
  storage: Pick<Storage, "read" | "write" | "eventJsons">,
  { name }: Partition,
): Promise<number> {
  const { rows } = await sql<EventTable>`
    select * from ${sql.table(name)} order by project_id, id limit ${sliceEvents}`.execute(storage.read);
  for (const [projectId, events] of Map.groupBy(rows, (row) => row.project_id)) {
    const facts = await factsOf(storage, events);
    await storage.write.transaction().execute(async (transaction) => {
      await subtract(transaction, projectId, { rows: events, facts });
      const ids = JSON.stringify(events.map(({ id }) => id));
      await sql`
        with gone as (
          delete from integrated_event where project_id = ${projectId}
            and id in (select value::bigint from jsonb_array_elements_text(${ids}::jsonb) as j (value))
          returning project_id, event_id, error_id, occurred_at
        ), noted as (
          insert into integrated_expired as e (project_id, error_id, hour, event_count)
          select project_id, error_id, occurred_at / ${sql.lit(hourMs)}, count(*) from gone group by 1, 2, 3 order by 1, 2, 3
          on conflict (project_id, error_id, hour) do update set event_count = e.event_count + excluded.event_count
        )
        update integrated_feedback f set error_id = e.error_id from gone e
        where e.project_id = f.project_id and e.event_id = f.event_id`.execute(transaction); // like keepErrorOfFeedback
      await addUsage(transaction, sql`select ${projectId}::bigint, ${-events.length}::bigint, 0::bigint, 0::bigint`);
    });
  }
  return rows.length;
}

/**
 * Drops a day of events or of their other rows. The same transaction notes the subtractions of its events from the
 * counters.
 */
async function dropPartition(database: Kysely<Tables>, partition: Partition): Promise<number> {
  await detach(database, partition);
  return database.transaction().execute(async (transaction) => {
    await sql`lock table ${sql.table(partition.name)} in access exclusive mode`.execute(transaction); // one process notes it
    let events = 0;
    if (partition.parent === "integrated_event") {
      const { rows } = await sql<{ events: number }>`
        with noted as (
          insert into integrated_expired as e (project_id, error_id, hour, event_count)
          select project_id, error_id, occurred_at / ${sql.lit(hourMs)}, count(*) from ${sql.table(partition.name)}
          group by 1, 2, 3
          on conflict (project_id, error_id, hour) do update set event_count = e.event_count + excluded.event_count
        )
        select count(*) as events from ${sql.table(partition.name)}`.execute(transaction);
      events = rows[0]?.events ?? 0;
      await keepErrorOfFeedback(transaction, sql`${sql.table(partition.name)} e where true`);
      await addUsage(transaction, sql`select project_id, -count(*), 0, 0 from ${sql.table(partition.name)} group by 1`);
    }
    if (partition.parent === "integrated_payload") {
      await addUsage(
        transaction,
        sql`select project_id, 0, -sum(length(content)), 0 from ${sql.table(partition.name)} group by 1`,
      );
    }
    await sql`drop table ${sql.table(partition.name)}`.execute(transaction);
    return events;
  });
}

/** Subtracts expired events of the next errors from their counters, and deletes errors without events. */
function subtractExpired(database: Kysely<Tables>, { cutoff }: Due): Promise<number> {
  return database.transaction().execute(async (transaction) => {
    const { rows: next } = await sql<{ project_id: number; error_id: number }>`
      select distinct project_id, error_id from integrated_expired order by 1, 2 limit ${sliceErrors}`.execute(
      transaction,
    );
    if (next.length > 0) await settleErrors(transaction, next, cutoff / dayMs);
    return next.length;
  });
}

/**
 * Subtracts the expired events of some errors from their counters, deletes their users and tags that were last seen
 * before a day, and the errors without events with all their rows. The last step of a transaction.
 */
export async function settleErrors(
  transaction: Kysely<Tables>,
  next: readonly { readonly project_id: number; readonly error_id: number }[],
  day: number,
): Promise<void> {
  // The rows of an error are written under its lock, and locks are taken in the order in which batches take them.
  const errors = sql`(select (one ->> 0)::bigint, (one ->> 1)::bigint
      from jsonb_array_elements(${JSON.stringify(next.map(({ project_id, error_id }) => [project_id, error_id]))}::jsonb) as j (one))`;
  await sql`select from integrated_error where (project_id, id) in ${errors}
      order by project_id, group_hash for update`.execute(transaction);

  await sql`
      with expired as (
        delete from integrated_expired where (project_id, error_id) in ${errors} returning *
      ), counted as (
        update integrated_hour h set event_count = h.event_count - e.event_count from expired e
        where h.project_id = e.project_id and h.error_id = e.error_id and h.hour = e.hour
      )
      update integrated_error set event_count = integrated_error.event_count - e.n
      from (select project_id, error_id, sum(event_count) as n from expired group by 1, 2) e
      where integrated_error.project_id = e.project_id and id = e.error_id`.execute(transaction);
  await sql`delete from integrated_hour
      where (project_id, error_id) in ${errors} and event_count <= 0`.execute(transaction);
  // Retention leaves none of these; eviction may leave rows of the day of an error's last event.
  const isPast = sql`(project_id, error_id) in ${errors} and (last_seen_day < ${day} or (project_id, error_id) in (
      select project_id, id from integrated_error where (project_id, id) in ${errors} and event_count <= 0))`;
  const { rows: tags } = await sql<{ project_id: number; bytes: number }>`
      with gone as (
        delete from integrated_tag where ${isPast}
        returning project_id, error_id, key, value
      ), counted as (
        update integrated_tag_key k set value_count = k.value_count - g.n
        from (select project_id, error_id, key, count(*) as n from gone group by 1, 2, 3) g
        where k.project_id = g.project_id and k.error_id = g.error_id and k.key = g.key
      )
      select project_id, sum(octet_length(key) + octet_length(value) + 64)::bigint as bytes from gone
      group by 1`.execute(transaction);
  await sql`
      with gone as (
        delete from integrated_tag_key where (project_id, error_id) in ${errors} and value_count <= 0
        returning project_id, error_id
      )
      update integrated_cardinality c set key_count = c.key_count - g.n
      from (select project_id, error_id, count(*) as n from gone group by 1, 2) g
      where c.project_id = g.project_id and c.error_id = g.error_id`.execute(transaction);
  await sql`
      with gone as (
        delete from integrated_user where ${isPast}
        returning project_id, error_id
      )
      update integrated_error set user_count = user_count - g.n
      from (select project_id, error_id, count(*) as n from gone group by 1, 2) g
      where integrated_error.project_id = g.project_id and id = g.error_id`.execute(transaction);
  await sql`
      with gone as (
        delete from integrated_error where (project_id, id) in ${errors} and event_count <= 0 returning project_id, id
      ), uncounted as (
        delete from integrated_tag_key where (project_id, error_id) in (select * from gone)
      ), without_counts as (
        delete from integrated_count where (project_id, error_id) in (select * from gone)
      )
      delete from integrated_cardinality where (project_id, error_id) in (select * from gone)`.execute(transaction);
  if (tags.length > 0) {
    const less = JSON.stringify(tags.map(({ project_id, bytes }) => [project_id, -bytes]));
    await addUsage(
      transaction,
      sql`select (one ->> 0)::bigint, 0, 0, (one ->> 1)::bigint from jsonb_array_elements(${less}::jsonb) as j (one)`,
    );
  }
}

/** Deletes feedback that was received before the cutoff, whether or not its event still exists. */
function deleteFeedback(database: Kysely<Tables>, { cutoff }: Due): Promise<number> {
  return deleteReceivedBefore(database, "integrated_feedback", cutoff);
}

/** Deletes sessions that no update can reach. */
function deleteSessions(database: Kysely<Tables>, { now }: Due): Promise<number> {
  return deleteReceivedBefore(database, "integrated_session", now - sessionDays * dayMs);
}

/** Deletes receipts of messages that the queue no longer delivers. */
function deleteReceipts(database: Kysely<Tables>, { now }: Due): Promise<number> {
  return deleteReceivedBefore(database, "integrated_receipt", now - receiptDays * dayMs);
}

async function deleteReceivedBefore(
  database: Kysely<Tables>,
  table: "integrated_feedback" | "integrated_session" | "integrated_receipt",
  time: number,
): Promise<number> {
  const key = sql.ref(table === "integrated_receipt" ? "receipt" : "id");
  const { numAffectedRows } = await sql`delete from ${sql.table(table)} where (project_id, ${key}) in (
    select project_id, ${key} from ${sql.table(table)} where received_at < ${time}
    limit ${sliceRows} for update skip locked)`.execute(database);
  return Number(numAffectedRows ?? 0);
}

/**
 * Deletes counters of a few releases: first their users, because they may be many, and then their hours with the last
 * users. Also deletes releases without hours.
 */
function deleteSessionCounters(database: Kysely<Tables>, { cutoff }: Due): Promise<number> {
  return database.transaction().execute(async (transaction) => {
    const { rows } = await sql<{ project_id: number; id: number }>`
      select project_id, id from integrated_release where first_hour is null or first_hour < ${cutoff / hourMs}
      limit ${sliceReleases} for update skip locked`.execute(transaction);
    if (rows.length === 0) return 0;
    const releases = sql`(select (one ->> 0)::bigint, (one ->> 1)::bigint
      from jsonb_array_elements(${JSON.stringify(rows.map(({ project_id, id }) => [project_id, id]))}::jsonb) as j (one))`;
    const users = await sql`delete from integrated_session_user where (project_id, release_id, day, "user") in (
      select project_id, release_id, day, "user" from integrated_session_user
      where (project_id, release_id) in ${releases} and day < ${cutoff / dayMs} limit ${sliceRows})`.execute(
      transaction,
    );
    const userCount = Number(users.numAffectedRows ?? 0);
    if (userCount === sliceRows) return userCount;

    await sql`delete from integrated_session_hour
      where (project_id, release_id) in ${releases} and hour < ${cutoff / hourMs}`.execute(transaction);
    await sql`update integrated_release set first_hour = (
        select min(hour) from integrated_session_hour h
        where h.project_id = integrated_release.project_id and h.release_id = integrated_release.id)
      where (project_id, id) in ${releases}`.execute(transaction);
    await sql`delete from integrated_release
      where (project_id, id) in ${releases} and first_hour is null`.execute(transaction);
    return userCount + rows.length;
  });
}

/** Deletes the daily counts of users before the users themselves, so that every existing count is right. */
async function deleteSessionDays(database: Kysely<Tables>, { cutoff }: Due): Promise<number> {
  const { numAffectedRows } = await sql`delete from integrated_session_day where (project_id, day, release_id) in (
    select project_id, day, release_id from integrated_session_day where day < ${cutoff / dayMs}
    limit ${sliceRows} for update skip locked)`.execute(database);
  return Number(numAffectedRows ?? 0);
}
