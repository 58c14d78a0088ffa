import { DatabaseSync } from "node:sqlite";
import { recount } from "../recount.ts";
import type { Ledger } from "./ledger.ts";
import { countedReleaseOf } from "./traffic.ts";

// The second verifier runs SQL on the file and shares no code with the product. The first verifier, read-back.ts, asks
// the product.

const ledgerTable = `create temp table ledger (
  id blob primary key, is_acknowledged integer, project integer, error text, user text, release text, environment text,
  shard text, level text, occurred_at integer, session text, counted integer, counted_release text,
  has_feedback integer) strict`;

/** The stored events, with the workers' records next to the product's columns. */
const storedTable = `create temp table stored as
  select l.*, e.id as row_id, e.error_id, r.type as stored_error, e.occurred_at as stored_occurred_at,
    e.user as stored_user, e.release as stored_release, e.environment as stored_environment, e.level as stored_level
  from ledger l join integrated_event e on e.event_id = l.id and e.project_id = l.project
  left join integrated_error r on r.id = e.error_id and r.project_id = e.project_id`;

/** Queries that must return no row. */
const differences: Readonly<Record<string, string>> = {
  "acknowledged and not stored": `
    select lower(hex(id)) as id, error from ledger where is_acknowledged and id not in (select id from stored)`,
  "stored and not sent": `
    select lower(hex(event_id)) as id, project_id from integrated_event where id not in (select row_id from stored)`,
  "stored twice": `
    select lower(hex(event_id)) as id, count(*) as n from integrated_event group by event_id having n > 1`,
  "stored otherwise than it was sent": `
    select * from stored
    where (stored_error, stored_occurred_at, stored_release, stored_environment, stored_level, stored_user)
      is not (error, occurred_at, release, environment, level, iif(user = '', '', 'id:' || user))`,
  "counters of an error": `
    select project, error, n, event_count, users, user_count, first, first_seen_at, last, last_seen_at from (
      select project, error, count(*) as n, count(distinct nullif(user, '')) as users, min(occurred_at) as first,
        max(occurred_at) as last
      from stored group by 1, 2
    ) full join integrated_error r on project_id = project and type = error
    where (n, users, first, last) is not (event_count, user_count, first_seen_at, last_seen_at)`,
  "hours of an error": `
    select error_id, hour, n, event_count from (
      select error_id, occurred_at / 3600000 as hour, count(*) as n from stored group by 1, 2
    ) full join integrated_hour using (error_id, hour) where n is not event_count`,
  "tags of an error": `
    select error_id, key, value, is_sent, last_seen_day from (
      select error_id, 'shard' as key, shard as value, 1 as is_sent from stored union
      select error_id, 'environment', environment, 1 from stored union
      select error_id, 'release', release, 1 from stored where release <> ''
    ) full join integrated_tag using (error_id, key, value) where is_sent is null or last_seen_day is null`,
  "feedback of an event": `
    select lower(hex(id)) as id, has_feedback, n from (select id, has_feedback from stored where has_feedback) full join (
      select event_id as id, count(*) as n from integrated_feedback group by 1) using (id)
    where n is not has_feedback`,
  "sessions with their events": `
    select lower(hex(session_id)) as id, is_sent, status from (
      select id as session_id, 1 as is_sent from stored where session <> ''
    ) full join integrated_session using (session_id) where is_sent is null or status is null`,
  "sessions of an hour": `
    select project, release, environment, hour, n, e, c, total, errored, crashed, abnormal from (
      select project, release, environment, hour, sum(n) as n, sum(e) as e, sum(c) as c from (
        select project, release, environment, occurred_at / 3600000 as hour, 1 as n, session = 'errored' as e,
          session = 'crashed' as c from stored where session <> ''
        union all
        select project, counted_release, environment, occurred_at / 3600000, counted, 0, 0 from stored where counted > 0
      ) group by 1, 2, 3, 4
    ) full join (
      select project_id as project, version as release, environment, h.hour, total, errored, crashed, abnormal
      from integrated_session_hour h left join integrated_release r on r.id = release_id
    ) using (project, release, environment, hour)
    where (n, e, c, 0) is not (total, errored, crashed, abnormal)`,
  "users of a release's day": `
    select project, release, environment, day, n, u, c, total, users, crashed from (
      select project, release, environment, occurred_at / 86400000 as day, count(*) as n, count(distinct user) as u,
        sum(session = 'crashed') as c
      from stored where session <> '' and user <> '' group by 1, 2, 3, 4
    ) full join (
      select project_id as project, version as release, environment, day, sum(session_count) as total,
        count(*) as users, sum(crashed_count) as crashed
      from integrated_session_user left join integrated_release r on r.id = release_id group by 1, 2, 3, 4
    ) using (project, release, environment, day)
    where (n, u, c) is not (total, users, crashed)`,
  "kept as not storable": `select * from unstored_event`,
};

/** Compares the database with the workers' records and with itself, in one snapshot, and returns the differences. */
export function audit(file: string, ledger: Ledger): string[] {
  using database = new DatabaseSync(":memory:");
  database.exec(`attach 'file:${file}?mode=ro' as product; ${ledgerTable}; begin`);
  const entries = Array.from(ledger.entries.values(), (entry) => [
    entry.id,
    Number(entry.isAcknowledged),
    entry.project,
    entry.error,
    entry.user,
    entry.release,
    entry.environment,
    entry.shard,
    entry.level,
    entry.occurredAt,
    entry.session,
    entry.countedSessions,
    countedReleaseOf(entry.era),
    Number(entry.hasFeedback),
  ]);
  const columns = Array.from({ length: 13 }, (_, column) => `value ->> ${column + 1}`).join(", ");
  database
    .prepare(`insert into ledger select unhex(value ->> 0), ${columns} from json_each(?)`)
    .run(JSON.stringify(entries));
  database.exec(storedTable);
  const found = Object.entries(differences).flatMap(([what, sql]) =>
    database
      .prepare(sql)
      .all()
      .map((row) => `${what}: ${JSON.stringify(row)}`),
  );
  return [...found, ...recount(database)];
}

/** The faults that SQLite finds in the file, and settings that break the promise of durability. */
export function fileFaults(file: string): string[] {
  using database = new DatabaseSync(file, { readOnly: true });
  const answers = ["integrity_check", "foreign_key_check", "journal_mode"].map((pragma) =>
    database
      .prepare(`pragma ${pragma}`)
      .all()
      .map((row) => Object.values(row).join(" "))
      .join("; "),
  );
  const found = answers.join(", ");
  return found === "ok, , wal" ? [] : [`integrity, foreign keys and journal: ${found}`];
}

/** The number of rows that retention has yet to delete. */
export function expiredRows(file: string, before: number): number {
  using database = new DatabaseSync(file, { readOnly: true });
  const count = database.prepare(`select
      (select count(*) from integrated_event where received_at < :before)
    + (select count(*) from integrated_session where received_at < :before)
    + (select count(*) from integrated_release where first_hour < :before / 3600000) as n`);
  return Number(count.get({ before })?.["n"]);
}

/** Makes all rows of an era 100 days older, including their times of receipt. Call it while no service runs. */
export function age(file: string, era: number): void {
  const days = 100;
  using database = new DatabaseSync(file);
  database.exec(`begin;
    create temp table old_error as select id from integrated_error where type glob 'Era${era}Error*';
    create temp table old_release as select id from integrated_release where version in ('${countedReleaseOf(era)}')
      or version glob 'shop@${era}.*';
    update integrated_feedback set received_at = received_at - ${days * 86_400_000} where (project_id, event_id) in (
      select project_id, event_id from integrated_event where error_id in old_error);
    update integrated_event set received_at = received_at - ${days * 86_400_000},
      occurred_at = occurred_at - ${days * 86_400_000} where error_id in old_error;
    update integrated_error set first_seen_at = first_seen_at - ${days * 86_400_000},
      last_seen_at = last_seen_at - ${days * 86_400_000} where id in old_error;
    update integrated_hour set hour = hour - ${days * 24} where error_id in old_error;
    update integrated_user set last_seen_day = last_seen_day - ${days} where error_id in old_error;
    update integrated_tag set last_seen_day = last_seen_day - ${days} where error_id in old_error;
    update integrated_session set hour = hour - ${days * 24}, received_at = received_at - ${days * 86_400_000}
      where release_id in old_release;
    update integrated_session_hour set hour = hour - ${days * 24} where release_id in old_release;
    update integrated_session_user set day = day - ${days} where release_id in old_release;
    delete from integrated_session_day; -- they are counted again
    update integrated_release set first_hour = first_hour - ${days * 24}, last_hour = last_hour - ${days * 24}
      where id in old_release;
    commit`);
}
