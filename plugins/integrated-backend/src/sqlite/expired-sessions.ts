import { hourMs } from "@faultline/plugin";
import { sql, type Kysely } from "kysely";
import { dayMs, sessionDays } from "../retention/retention.ts";
import type { Tables } from "../tables.ts";

/** The bounds of the rows to delete, by the clock for deletions. */
export interface Due {
  readonly now: number;
  /** The start of the first day that is kept. */
  readonly cutoff: number;
  /**
   * Errors whose expired tags this run has already deleted: an error has many tags, and no more of them expire during
   * the run.
   */
  readonly lookedThrough: Set<number>;
}

/** Few enough that ingestion waits only some milliseconds for the writer. */
const batchRows = 500;

/** Releases whose expired hours are deleted in one transaction: 24 rows each when a day has passed. */
const batchReleases = 20;

/** Deletes sessions that no update can reach. */
export async function deleteSessions(database: Kysely<Tables>, { now }: Due): Promise<number> {
  const { numAffectedRows } = await sql`delete from integrated_session where id in (
    select id from integrated_session where received_at < ${now - sessionDays * dayMs} limit ${batchRows})`.execute(
    database,
  );
  return Number(numAffectedRows ?? 0);
}

/**
 * Deletes counters of a few releases: their users first, as they may be many, and with the last of them their hours.
 * Also deletes releases without hours.
 */
export async function deleteSessionCounters(database: Kysely<Tables>, { cutoff }: Due): Promise<number> {
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
export async function deleteSessionDays(database: Kysely<Tables>, { cutoff }: Due): Promise<number> {
  const { numAffectedRows } = await sql`delete from integrated_session_day where (project_id, day, release_id) in (
    select project_id, day, release_id from integrated_session_day where day < ${cutoff / dayMs}
    limit ${batchRows})`.execute(database);
  return Number(numAffectedRows ?? 0);
}
