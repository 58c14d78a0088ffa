import { inBackground } from "@faultline/plugin/flow";
import { hourMs, dayMs } from "@faultline/plugin";
import { sql, type Kysely } from "kysely";
import { factsOf } from "../counts/count-events.ts";
import { retentionCutoff, sessionDays } from "../retention/retention.ts";
import type { Storage } from "../storage.ts";
import { storableJson } from "../event/storable-json.ts";
import type { EventTable, Tables } from "../tables.ts";
import { callDeleteProcedure, type DeleteParameters } from "./delete-procedure.ts";

/** A batch takes 12 ms of the writer with 10,000,000 stored events, mostly for scattered pages. */
const batchEvents = 100;

const batchFeedback = 500;

/** Each page takes 0.02 ms. */
const pagesGivenBack = 200;

/** See Storage.deleteExpired. */
export async function deleteExpired(storage: CountedStorage, now: number, signal: AbortSignal): Promise<number> {
  const { write: database } = storage;
  const due: Due = { now, cutoff: retentionCutoff(now), lookedThrough: new Set() };
  let deleted = 0;
  // Each function deletes some due rows and returns their number, or 0 if none is left.
  const deleteOldest = (_: Kysely<Tables>, { cutoff, lookedThrough }: Due) =>
    deleteEvents(storage, { cutoff, lookedThrough });
  for (const deleteBatch of [deleteOldest, deleteFeedback, deleteSessions, deleteSessionDays, deleteSessionCounters]) {
    for (let count = -1; count !== 0;) {
      if (signal.aborted) return deleted;
      count = await inBackground(() => deleteBatch(database, due));
      deleted += count;
    }
  }
  await giveSpaceBack(database, signal); // also the space that a stop kept the previous run from
  return deleted;
}

/** Deletes events and subtracts them from every counter in the same statement; also deletes errors without events. */
async function deleteEvents(
  storage: CountedStorage,
  { cutoff, lookedThrough }: Pick<Due, "cutoff" | "lookedThrough">,
): Promise<number> {
  const expired = await storage.write
    .selectFrom("integrated_event")
    .selectAll()
    .where("received_at", "<", cutoff)
    .orderBy("received_at")
    .limit(batchEvents)
    .execute();
  if (expired.length === 0) return 0;

  const tagged = [...new Set(expired.map(({ error_id }) => error_id))].filter((id) => !lookedThrough.has(id));
  const isDeleted = await callDeleteProcedure(storage.write, {
    ...(await subtractionsOf(storage, expired)),
    tagged: JSON.stringify(tagged),
    day: cutoff / dayMs,
  });
  if (isDeleted) for (const id of tagged) lookedThrough.add(id);
  return expired.length; // also if one was already deleted: the next batch is read again
}

/** The dependencies of a deletion of events, to subtract them from the counts of users and tags. */
export type CountedStorage = Pick<Storage, "read" | "write" | "counting" | "eventJsons">;

/** The subtractions of deleted events from every counter. */
export async function subtractionsOf(
  storage: CountedStorage,
  events: readonly EventTable[],
): Promise<Pick<DeleteParameters, "events" | "hours" | "errors" | "facts">> {
  const facts = storableJson(await factsOf(storage, events));
  await storage.counting.settle(); // a noted event would be counted after its deletion
  const hours = new Map<string, [error: number, hour: number, count: number]>();
  const errors = new Map<number, [error: number, count: number]>();
  for (const { error_id, occurred_at } of events) {
    const hour = Math.floor(occurred_at / hourMs);
    const ofHour = hours.get(`${error_id}/${hour}`);
    if (ofHour) ofHour[2]++;
    else hours.set(`${error_id}/${hour}`, [error_id, hour, 1]);
    const ofError = errors.get(error_id);
    if (ofError) ofError[1]++;
    else errors.set(error_id, [error_id, 1]);
  }
  return {
    events: JSON.stringify(events.map(({ id }) => id)),
    hours: JSON.stringify([...hours.values()]),
    errors: JSON.stringify([...errors.values()]),
    facts,
  };
}

/** Deletes feedback that was received before the cutoff, whether or not its event still exists. */
async function deleteFeedback(database: Kysely<Tables>, { cutoff }: Due): Promise<number> {
  const { numAffectedRows } = await sql`delete from integrated_feedback where id in (
    select id from integrated_feedback where received_at < ${cutoff} limit ${batchFeedback})`.execute(database);
  return Number(numAffectedRows ?? 0);
}

/** Returns free pages to the system a few at a time, in a short write per step. */
export async function giveSpaceBack(database: Kysely<Tables>, signal?: AbortSignal): Promise<void> {
  for (let before = Infinity; ;) {
    if (signal?.aborted) return;
    const { rows } = await sql<{ freelist_count: number }>`pragma freelist_count`.execute(database);
    const free = rows[0]?.freelist_count ?? 0;
    if (free === 0 && before === Infinity) return;
    if (free === 0 || free >= before) break; // a file created without incremental vacuum keeps its pages
    before = free;
    await inBackground(() => sql`pragma incremental_vacuum(${sql.lit(pagesGivenBack)})`.execute(database));
  }
  await sql`pragma wal_checkpoint(passive)`.execute(database); // until then the file keeps its length
}

/** The bounds of the rows to delete, by the clock for deletions. */
interface Due {
  readonly now: number;
  /** The start of the first day that is kept. */
  readonly cutoff: number;
  /**
   * Errors with expired tags that this run has already deleted: an error has many tags, and no more of them expire
   * during the run.
   */
  readonly lookedThrough: Set<number>;
}

/** Small enough that ingestion waits only some milliseconds for the writer. */
const batchRows = 500;

/** Releases with expired hours that are deleted in one transaction: 24 rows each when a day has passed. */
const batchReleases = 20;

/** Deletes sessions that no update can reach. */
async function deleteSessions(database: Kysely<Tables>, { now }: Due): Promise<number> {
  const { numAffectedRows } = await sql`delete from integrated_session where id in (
    select id from integrated_session where received_at < ${now - sessionDays * dayMs} limit ${batchRows})`.execute(
    database,
  );
  return Number(numAffectedRows ?? 0);
}

/**
 * Deletes counters of a few releases: first their users, because they may be many, and then their hours with the last
 * users. Also deletes releases without hours.
 */
async function deleteSessionCounters(database: Kysely<Tables>, { cutoff }: Due): Promise<number> {
  const releases = await database
    .selectFrom("integrated_release")
    .select("id")
    .where(({ eb, or }) => or([eb("first_hour", "is", null), eb("first_hour", "<", cutoff / hourMs)]))
    .limit(batchReleases)
    .execute();
  if (releases.length === 0) return 0;
  return database.transaction().execute(async (transaction) => {
    const ids = JSON.stringify(releases.map(({ id }) => id));
    const users = await sql`delete from integrated_session_user where (release_id, day, user) in (
    select release_id, day, user from integrated_session_user
    where release_id in (select value from json_each(${ids})) and day < ${cutoff / dayMs}
    limit ${batchRows})`.execute(transaction);
    const userCount = Number(users.numAffectedRows ?? 0);
    if (userCount === batchRows) return userCount;

    await sql`delete from integrated_session_hour
    where release_id in (select value from json_each(${ids})) and hour < ${cutoff / hourMs}`.execute(transaction);
    await sql`update integrated_release set
      first_hour = (select min(hour) from integrated_session_hour where release_id = integrated_release.id)
    where id in (select value from json_each(${ids}))`.execute(transaction);
    await sql`delete from integrated_release where first_hour is null
    and id in (select value from json_each(${ids}))`.execute(transaction);
    return userCount + releases.length;
  });
}

/** Deletes the daily counts of users before the users themselves, so that every existing count is right. */
async function deleteSessionDays(database: Kysely<Tables>, { cutoff }: Due): Promise<number> {
  const { numAffectedRows } = await sql`delete from integrated_session_day where (project_id, day, release_id) in (
    select project_id, day, release_id from integrated_session_day where day < ${cutoff / dayMs}
    limit ${batchRows})`.execute(database);
  return Number(numAffectedRows ?? 0);
}
