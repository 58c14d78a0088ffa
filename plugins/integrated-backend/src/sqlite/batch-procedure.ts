import { ErrorStatus } from "@faultline/proto";
import { sql, type Kysely } from "kysely";
import type { BatchParameters } from "../storing/batch-parameters.ts";
import { groupingVersion } from "../grouping/grouping.ts";
import { implausibleMs } from "../storing/new-errors.ts";
import type { Tables } from "../tables.ts";

// The hot path's SQL. One INSERT into a view carries a whole batch, and the view's trigger writes it to the tables: a
// stored procedure, as far as SQLite has one. So a batch is one statement, which is its own transaction, and one trip
// to the thread pool. With one trip a statement (eleven a batch) each of them waited for the event loop, which was busy
// with the next requests: 2,300 events/s of 5 kB instead of what docs/performance.md shows, both cores half idle.

/** Makes the view and its trigger on the writer's connection; they are gone with it. */
export async function createBatchProcedure(database: Kysely<Tables>): Promise<void> {
  await sql`create temp view batch as
    select null as errors, null as events, null as payloads, null as places, null as hours, null as users, null as tags,
      null as usage, null as new_errors, null as now where false`.execute(database);
  await sql.raw(trigger).execute(database);
}

/** Stores a batch, all of it or nothing; false when one of its events is stored already. */
export async function callBatchProcedure(database: Kysely<Tables>, batch: BatchParameters): Promise<boolean> {
  const { errors, events, payloads, places, hours, users, tags, usage, newErrors, now } = batch;
  try {
    await sql`insert into batch (errors, events, payloads, places, hours, users, tags, usage, new_errors, now)
    values (${errors}, ${events}, ${payloads}, ${places}, ${hours}, ${users}, ${tags}, ${usage}, ${newErrors}, ${now})`.execute(
      database,
    );
    return true;
  } catch (error) {
    if (String(error).includes(repeated)) return false;
    throw error;
  }
}

const repeated = "UNIQUE constraint failed: integrated_event.project_id, integrated_event.event_id";

const { UNRESOLVED, RESOLVED } = ErrorStatus;

const ofGroup = `join integrated_error e on e.project_id = j.value ->> 0 and e.group_hash = unhex(j.value ->> 1)`;

// jsonb_each parses a list once, where json_each gives each row as text that is parsed anew: 12 % of the whole.
const trigger = `create temp trigger batch_stored instead of insert on batch begin

  -- A resolved error comes back with any new event; an ignored one stays ignored.
  insert into integrated_error (
    project_id, group_hash, grouping_version, title, type, value, culprit, level, platform, status,
    event_count, user_count, first_seen_at, last_seen_at, first_release, last_release)
  select
    value ->> 0, unhex(value ->> 1), ${groupingVersion}, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6,
    value ->> 7, ${UNRESOLVED}, value ->> 8, 0, value ->> 9, value ->> 10, value ->> 11, value ->> 12
  from jsonb_each(new.errors) where true
  on conflict (project_id, group_hash) do update set
    title = iif(excluded.last_seen_at >= last_seen_at, excluded.title, title),
    type = iif(excluded.last_seen_at >= last_seen_at, excluded.type, type),
    value = iif(excluded.last_seen_at >= last_seen_at, excluded.value, value),
    culprit = iif(excluded.last_seen_at >= last_seen_at, excluded.culprit, culprit),
    level = iif(excluded.last_seen_at >= last_seen_at, excluded.level, level),
    last_release = iif(last_release = '' or (excluded.last_seen_at >= last_seen_at and excluded.last_release <> ''),
      excluded.last_release, last_release),
    first_release = iif(first_release = '' or (excluded.first_seen_at < first_seen_at and excluded.first_release <> ''),
      excluded.first_release, first_release),
    event_count = event_count + excluded.event_count,
    first_seen_at = min(first_seen_at, excluded.first_seen_at),
    last_seen_at = max(last_seen_at, excluded.last_seen_at),
    reopened_at = iif(status = ${RESOLVED}, new.now, reopened_at),
    status = iif(status = ${RESOLVED}, ${UNRESOLVED}, status);

  insert into integrated_event (
    id, project_id, event_id, error_id, occurred_at, received_at, title, user, release, environment, level)
  select j.value ->> 2, j.value ->> 0, unhex(j.value ->> 3), e.id, j.value ->> 4, j.value ->> 5,
    j.value ->> 6, j.value ->> 7, j.value ->> 8, j.value ->> 9, j.value ->> 10
  from jsonb_each(new.events) j ${ofGroup};

  insert into integrated_origin (event_row_id, key_id)
  select value ->> 2, value ->> 11 from jsonb_each(new.events) where value ->> 11 > 0;

  insert into integrated_payload (event_row_id, encoding, start, length, content)
  select value ->> 0, value ->> 3, value ->> 4, value ->> 5,
    coalesce(substr(new.payloads, value ->> 1, value ->> 2), x'') -- the driver binds a batch without a byte as null
  from jsonb_each(new.places);

  -- Before the tags, whose trigger adds to what is there.
  insert into integrated_usage (project_id, event_count, payload_bytes, tag_bytes)
  select value ->> 0, value ->> 1, value ->> 2, 0 from jsonb_each(new.usage) where true
  on conflict (project_id) do update set event_count = event_count + excluded.event_count,
    payload_bytes = payload_bytes + excluded.payload_bytes;

  insert into integrated_hour (error_id, hour, event_count)
  select e.id, j.value ->> 2, j.value ->> 3 from jsonb_each(new.hours) j ${ofGroup} where true
  on conflict (error_id, hour) do update set event_count = event_count + excluded.event_count;

  insert into integrated_user (error_id, user, last_seen_day)
  select e.id, j.value ->> 2, j.value ->> 3 from jsonb_each(new.users) j ${ofGroup} where true
  on conflict (error_id, user) do update set last_seen_day = excluded.last_seen_day
  where excluded.last_seen_day > last_seen_day;

  insert into integrated_tag (error_id, key, value, last_seen_day)
  select e.id, j.value ->> 2, j.value ->> 3, j.value ->> 4 from jsonb_each(new.tags) j ${ofGroup} where true
  on conflict (error_id, key, value) do update set last_seen_day = excluded.last_seen_day
  where excluded.last_seen_day > last_seen_day;

  insert into integrated_new_error (project_id, day, error_count, used_until)
  select value ->> 0, value ->> 1, value ->> 2, value ->> 3 from jsonb_each(new.new_errors) where true
  on conflict (project_id) do update set
    error_count = iif(day = excluded.day, error_count, 0) + excluded.error_count,
    day = excluded.day,
    used_until = excluded.used_until
      + iif(used_until - new.now between 0 and ${implausibleMs}, used_until - new.now, 0);

end`;
